import type { Lease, StepEvent } from '../gen/runner/v1/runner.ts'
import type { LocalRunDirectory } from './list-run-directories.ts'
import type { PhaseIdentity } from '../phase-identity.ts'
import type { Leaf } from '../pki/sign-leaf.ts'
import type { Runner } from '../runner.ts'
import type { Access } from './run-access.ts'

/** Where a started runner is found again, also by a controller started later; kept as JSON in `runner_jobs.runner_ref`. */
export type RunnerRef = {
  placement: 'process' | 'in-process'
  /** `127.0.0.1:PORT`; empty for in-process. */
  address: string
  /** Process id of the worker and its start time in clock ticks (field 22 of /proc/PID/stat), so that a reused pid is noticed. */
  pid: number
  startTicks: string
  /** SAN of the runner's leaf, which the dialler demands byte for byte. */
  uri: string
  instanceId: string
  /** Fingerprint of the authority that the worker trusts; absent in what earlier versions wrote, and in-process. */
  authority?: string
  /** Directory of the phase, see worker/run-directory.ts. */
  runDirectory: string
  /** User of the engine's processes, when it is not the worker's own. */
  uid?: number
}

/** `lease` is in force until `next` is. */
export type RebindOrder = { lease: Lease; next: Lease; deadline: Date; access: Access }

/** `until`: the end of our certificate, and with it of the connection; absent: it has none. `expect`: see RunnerConnection. */
export type ConnectedRunner = { runner: Runner; ref: RunnerRef; until?: Date; expect?(uri: string): void; close(): void }

/** What a runner shows from then on to whoever connects. */
export type Shown = Pick<Leaf, 'certificatePem' | 'privateKeyPem'>

/** Gives a greeted runner its lease, and its name where it is reached by one. */
export type Bind = (runner: Runner, leaf?: Shown) => Promise<void>

/** Makes, finds and ends runners of one kind. */
export type Placement = {
  /**
   * A fresh runner, which `bind` has given its lease by then, and its name where it needs one; several may be tried. Throws RunnerError when none
   * can be had, and what `bind` throws.
   */
  start(identity: PhaseIdentity, signal: AbortSignal, bind: Bind): Promise<ConnectedRunner>
  /** The same runner after a restart or a cut. Throws RunnerError `UNAVAILABLE` when it is gone for good. */
  reattach(ref: RunnerRef, identity: PhaseIdentity, signal: AbortSignal): Promise<ConnectedRunner>
  /**
   * Makes the runner of a finished plan the runner of the same run's apply: new certificate, lease and access, the directory as it is. The
   * connection that there is goes on if it lasts long enough; whoever connects from now on sees the new certificate. Throws RunnerError when that cannot be; the runner
   * is good for nothing then.
   */
  rebind(planned: ConnectedRunner, identity: PhaseIdentity, order: RebindOrder): Promise<ConnectedRunner>
  /** The plan of this runner is being made: what a later `rebind` needs may be made ahead. */
  expectRebind(ref: RunnerRef, identity: PhaseIdentity): void
  /** Ends the worker and everything it started; idempotent; returns when no process of it is left. */
  destroy(ref: RunnerRef): Promise<void>
  /** State that a lost runner left on disk: bytes of terraform.tfstate, if complete JSON. Call after `destroy`. */
  recoverState(ref: RunnerRef): Promise<Buffer | undefined>
  /** What the steps of a lost runner said, in order, as far as it is on disk. Call after `destroy`. */
  leftEvents(ref: RunnerRef): AsyncIterable<StepEvent>
  /** Removes the run directory of a finished phase. */
  discard(ref: Pick<RunnerRef, 'runDirectory' | 'instanceId' | 'uid'>): Promise<void>
  /** All run directories that there are on this machine. */
  runDirectories(): Promise<LocalRunDirectory[]>
  /** Starts workers ahead, if this kind does. */
  warm(): void
  close(): Promise<void>
}
