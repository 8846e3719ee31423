import type { Clock } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { PhaseExecutor } from '../../runs/index.ts'
import { countOpenJobs, insertJob, setCancelMode, withdrawJobs, withRunnerTables } from './queries.ts'
import type { RunAccess } from './run-access.ts'

/** Wake-ups within this process; other controllers find out by polling. */
export type JobSignals = {
  /** A job waits. */
  pending(): void
  /** The job was told to cancel, or was taken away. */
  changed(jobId: string): void
}

type Deps = {
  clock: Clock
  signals: JobSignals
  access: Pick<RunAccess, 'revoke'>
  /** Phases that this server executes at once. Other servers of the same database take what they have room for by themselves. */
  capacity: number
}

/** The runs slice's port to the runners: rows in `runner_jobs`, and a nudge after the commit. */
export const makeExecutor = ({ clock, signals, access, capacity }: Deps): PhaseExecutor => ({
  enqueue: async (tx, work) => {
    await insertJob(tx, {
      ...work,
      id: newId('job'),
      status: 'pending',
      epoch: 0,
      attempt: 1,
      stepSeq: 0,
      lastStateSeq: 0,
      results: {},
      inFlight: {},
      createdAt: clock.now(),
    })
    tx.afterCommit(signals.pending)
  },
  room: async (reader) => Math.max(0, capacity - (await countOpenJobs(reader))),
  offer: (tx) => tx.afterCommit(signals.pending),
  withdraw: async (tx, runId) => {
    const ids = await withdrawJobs(tx, runId, clock.now())
    await access.revoke(withRunnerTables(tx), runId)
    tx.afterCommit(() => ids.forEach(signals.changed))
  },
  cancel: async (tx, runId, mode) => {
    const ids = await setCancelMode(tx, runId, mode)
    if (ids.length === 0) await withdrawJobs(tx, runId, clock.now())
    tx.afterCommit(() => ids.forEach(signals.changed))
    return ids.length > 0
  },
})
