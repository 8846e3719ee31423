import type { Log } from '../../platform/log.ts'
import type { BlobKind, Phase, StepResult } from '../gen/runner/v1/runner.ts'
import type { Engine } from './engine/make-engine.ts'
import type { Stop } from './engine/make-stop.ts'
import type { StoredFile } from './files/file-writer.ts'
import type { Mask } from './mask/make-mask.ts'
import type { StepOutput } from './operation/make-operation.ts'
import type { Isolation } from './options.ts'
import type { RunPaths } from './run-directory.ts'
import type { StateOutbox } from './state/make-state-outbox.ts'
import type { StateIdentity } from './state/parse-state.ts'

/** What prepare leaves to the later steps. */
export type Prepared = {
  enginePath: string
  engineVersion: string
  /** Absolute working directory. */
  directory: string
  environment: Record<string, string>
  /** Files of ours in the working directory that no snapshot may hold. */
  ownFiles: string[]
  baseline: StateIdentity | undefined
  /** For modules in git; empty: none. */
  sshPrivateKey: string
}

/** Everything of one phase of one run; made when the lease is taken, thrown away at shutdown. */
export type Session = {
  /** Becomes apply when the runner of a plan is bound to the apply of the same run. */
  phase: Phase
  readonly paths: RunPaths
  readonly isolation: Isolation | undefined
  readonly engine: Engine
  readonly stop: Stop
  readonly outbox: StateOutbox
  readonly log: Log
  readonly uploads: Map<BlobKind, StoredFile>
  readonly artifacts: Map<BlobKind, StoredFile>
  /** What `mask` hides. */
  secrets: readonly string[]
  mask: Mask
  prepared: Prepared | undefined
  prepareStarted: boolean
  initialised: boolean
  /** Being packed since the plan, while the plan is shown; false: too large to be kept. */
  snapshot: Promise<boolean> | undefined
  /** There is a plan file. */
  planned: boolean
  /** The last plan made here succeeded. */
  planSucceeded: boolean
  applyStarted: boolean
}

/** What a step answers; the rest of StepResult has its default. */
export type StepReport = Partial<StepResult>

export type Step<R> = (session: Session, request: R, output: StepOutput) => Promise<StepReport>
