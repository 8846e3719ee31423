import { errorMessage } from '../../platform/errors.ts'
import { appendLog, type PhaseMaterial } from '../../runs/index.ts'
import { CancelMode, Phase, type Lease } from '../gen/runner/v1/runner.ts'
import { RunnerError, type Runner } from '../runner.ts'
import type { ControllerDeps, JobRow, RunnerTx } from './deps.ts'
import type { ConnectedRunner, PhaseIdentity } from './placement.ts'
import { updateOwnJob } from './queries.ts'

/** The job belongs to somebody else now, or to nobody: stop touching it. */
export class Fenced extends Error {}
/** This controller is shutting down: leave the runner at work for the next one. */
export class HandedOver extends Error {}
/** The runner is gone for good. */
export class RunnerLost extends Error {}

const REATTACH_TRIES = 3

/** A phase under way: its job, its runner, and what both writes need. Made by `openDrive`. */
export type Drive = {
  readonly d: ControllerDeps
  readonly job: JobRow
  readonly material: PhaseMaterial
  readonly lease: Lease
  readonly signal: AbortSignal
  runner(): Runner
  /** Writes as the job's owner in one transaction. Throws Fenced. */
  fenced<R>(fn: (tx: RunnerTx) => Promise<R>, patch?: Partial<JobRow>): Promise<R>
  /** Appends text of the controller's own to the log. */
  log(text: string): Promise<void>
  logBytes: number
  /** After a transport error: the same runner on a new connection. Concurrent callers share one attempt. Throws RunnerLost. */
  reconnect(broken: Runner): Promise<void>
  cancel(mode: 'interrupt' | 'kill'): Promise<void>
  close(): void
}

export const phaseIdentity = (job: JobRow): PhaseIdentity => ({
  organizationId: job.organizationId,
  workspaceId: job.workspaceId,
  runId: job.runId,
  phase: job.phase,
})

export const phaseIdOf = (job: JobRow, material: PhaseMaterial): string => (job.phase === 'plan' ? material.plan.id : material.apply.id)

/** Binds a greeted runner to the job's epoch. A lower epoch is fenced from then on. */
export const bind = async (runner: Runner, lease: Lease, deadline: Date): Promise<void> => {
  await runner.acquireLease({ lease, deadlineUnixMs: deadline.getTime() })
}

export const leaseOf = (job: JobRow): Lease => ({
  runId: job.runId,
  phase: job.phase === 'plan' ? Phase.PLAN : Phase.APPLY,
  epoch: job.epoch,
})

type Options = { job: JobRow; material: PhaseMaterial; connected: ConnectedRunner; deadline: Date; signal: AbortSignal; logBytes: number }

export const openDrive = (d: ControllerDeps, { job, material, connected: first, deadline, signal, logBytes }: Options): Drive => {
  const lease = leaseOf(job)
  const phaseId = phaseIdOf(job, material)
  let connected = first
  let reconnecting: Promise<void> | undefined

  const reattach = async (): Promise<void> => {
    connected.close()
    for (let tries = 1; ; tries++) {
      if (signal.aborted) throw signal.reason
      try {
        const next = await d.placement.reattach(connected.ref, phaseIdentity(job), signal)
        await bind(next.runner, lease, deadline)
        connected = next
        return
      } catch (error) {
        d.log.warn({ runId: job.runId, tries, error: errorMessage(error) }, 'runner cannot be reached')
        if (tries >= REATTACH_TRIES || !isTransport(error)) throw new RunnerLost(errorMessage(error))
      }
    }
  }

  const drive: Drive = {
    d,
    job,
    material,
    lease,
    signal,
    logBytes,
    runner: () => connected.runner,
    fenced: (fn, patch = {}) =>
      d.db.transaction(async (tx) => {
        const owned = await updateOwnJob(tx, job, { leaseUntil: new Date(d.clock.now().getTime() + d.limits.leaseMs), ...patch })
        if (owned === undefined) throw new Fenced()
        const result = await fn(tx)
        Object.assign(job, patch)
        return result
      }),
    log: async (text) => {
      drive.logBytes = await drive.fenced((tx) => appendLog(tx, { id: phaseId, logBytes: drive.logBytes }, text))
    },
    reconnect: async (broken) => {
      if (broken !== connected.runner) return
      reconnecting ??= reattach().finally(() => (reconnecting = undefined))
      await reconnecting
    },
    cancel: async (mode) => {
      await connected.runner.cancel({ lease, mode: mode === 'kill' ? CancelMode.KILL : CancelMode.INTERRUPT })
    },
    close: () => connected.close(),
  }
  return drive
}

export const isTransport = (error: unknown): boolean =>
  error instanceof RunnerError && (error.code === 'UNAVAILABLE' || error.code === 'DEADLINE')
