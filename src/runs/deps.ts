import type { SignedUrls } from '../api/index.ts'
import type { Authorize, PermissionsOf, WorkspaceGrants } from '../organizations/index.ts'
import type { BlobStore } from '../platform/blobs/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { EngineName } from '../platform/engine-name.ts'
import type { Log } from '../platform/log.ts'
import type { DomainEvent } from '../platform/outbox/emit.ts'
import type { Envelope } from '../platform/secrets/envelope.ts'
import type { Reader } from './queries.ts'
import type { PhaseExecutor, PinnedVariable, RunDb, RunTx } from './run.ts'

/** What this slice is built from. `workspaces`, `state`, `executor` and `engines` are the parts of other slices that it uses. */
export type RunDeps = {
  db: RunDb
  clock: Clock
  log: Log
  blobs: BlobStore
  envelope: Envelope
  emit(tx: RunTx, event: DomainEvent): Promise<void>
  authorize: Authorize
  permissionsOf: PermissionsOf
  workspaceGrants: WorkspaceGrants
  workspaces: {
    lockForRun(tx: RunTx, workspaceId: string, runId: string): Promise<void>
    unlockFromRun(tx: RunTx, workspaceId: string, runId: string): Promise<void>
  }
  variableSets: { pinVariables(tx: RunTx, workspaceId: string): Promise<PinnedVariable[]> }
  /** The private key for modules in git; undefined when it is gone. */
  sshKeys: { openSshKey(reader: Reader, id: string): Promise<string | undefined> }
  state: {
    /** Makes the last snapshot of the run the workspace's current state; nothing when it left none. */
    promoteRunState(tx: RunTx, workspaceId: string, runId: string): Promise<void>
  }
  executor: PhaseExecutor
  engines: Record<EngineName, { resolve(requested: string): Promise<string> }>
  signedUrls: SignedUrls
  /** Base of every link, without a trailing slash. */
  publicUrl: string
  limits: { configurationBytes: number; forceCancelCoolOffMs: number }
}
