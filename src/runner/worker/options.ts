import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'

/** The user that the engine and everything it starts run as; not root, not the user of the worker, used by one run at a time. */
export type Isolation = { uid: number; gid: number }

export type WorkerOptions = {
  /** Run directories live below it; the same on all hosts that share runs, because a plan holds paths. */
  workRoot: string
  /** Uuid of this worker. */
  instanceId: string
  /** The handshake of another installation is refused. */
  installationId: string
  /** Absent: the engine runs as the user of the worker (sandbox level 0). Needs root. */
  isolation: Isolation | undefined
  /** What `findSetpriv` answers, from somebody who has asked; absent: the worker asks for each run. */
  setpriv?: string | null | undefined
  log: Log
  clock: Clock
  /** How long a phase goes on when nobody asks for it; plan 2 min, apply 10 min when absent. */
  orphanGraceMs?: number
  /** From interrupt to kill; plan 60 s, apply 10 min when absent. */
  interruptGraceMs?: number
  /** Output of one step beyond it is cut, with a line that says so; 1 GiB when absent. */
  logLimitBytes?: number
  /** Called with the identity to show from then on, both PEM, when a request brings one. */
  onIdentity?: (leaf: { certificatePem: string; privateKeyPem: string }) => void
  /** Called by `shutdown`, after the clean-up. */
  onShutdown?: () => void
  /** Called when nobody came back within the grace and the engine has ended; the state is in the journal. */
  onOrphaned?: () => void
}
