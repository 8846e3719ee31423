import { errorMessage } from '../../platform/errors.ts'
import { mayBeApplied } from '../../runs/index.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { type Drive, Fenced, HandedOver } from './drive.ts'
import { executeJob } from './execute-job.ts'
import type { JobSignals } from './executor.ts'
import { makeKeptRunners } from './kept-runners.ts'
import { claimOrphanedJob, claimPendingJob, releaseJobs, updateOwnJob } from './queries.ts'
import { sweepLeftovers } from './sweep-leftovers.ts'

const POLL_MS = 2000
/** What interrupted a phase here, a full disk perhaps, may be over by then. */
const RETRY_MS = 5000
const SWEEP_MS = 60_000

type Active = { job: JobRow; abort: AbortController; drive: Drive | undefined; cancelMode: JobRow['cancelMode']; done: Promise<void> }

export type Allocator = {
  signals: JobSignals
  start(options: { isAlone: boolean }): void
  /** Takes no more work, and leaves running phases to whoever comes next. */
  stop(): Promise<void>
}

/** Gives jobs to runners up to the capacity, keeps their leases, takes over what dead controllers left, and passes cancels on. */
export const makeAllocator = (given: Omit<ControllerDeps, 'kept'>): Allocator => {
  const kept = makeKeptRunners({ placement: given.placement, isWanted: (runId) => mayBeApplied(given.runs, runId), log: given.log })
  const d: ControllerDeps = { ...given, kept }
  const active = new Map<string, Active>()
  let isStopped = true
  let isAlone = false
  let isTaking: Promise<void> | undefined
  let isWanted = false
  let timer: NodeJS.Timeout | undefined
  let sweepTimer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> = Promise.resolve()

  const leaseUntil = (): Date => new Date(d.clock.now().getTime() + d.limits.leaseMs)

  const claim = async (): Promise<JobRow | undefined> =>
    d.db.transaction(async (tx) => {
      const orphan = await claimOrphanedJob(tx, d.controllerId, d.clock.now(), leaseUntil(), isAlone)
      // The phases of a run share its directory: the next one begins when the one before has cleaned up.
      const busy = [...active.values()].map((entry) => entry.job.runId)
      return orphan ?? claimPendingJob(tx, d.controllerId, leaseUntil(), busy)
    })

  const take = async (): Promise<void> => {
    do {
      isWanted = false
      while (!isStopped && active.size < d.limits.capacity) {
        const job = await claim()
        if (job === undefined) break
        run(job)
      }
      // Everything that others left has been claimed by now.
      if (active.size < d.limits.capacity) isAlone = false
    } while (isWanted && !isStopped)
  }

  const wake = (): void => {
    isWanted = true
    if (isStopped || isTaking !== undefined) return
    isTaking = take()
      .catch((error: unknown) => d.log.error({ error: errorMessage(error) }, 'jobs could not be claimed'))
      .finally(() => {
        isTaking = undefined
        if (isWanted && !isStopped && active.size < d.limits.capacity) wake()
      })
  }

  const run = (job: JobRow): void => {
    d.placement.warm()
    const abort = new AbortController()
    const entry: Active = { job, abort, drive: undefined, cancelMode: null, done: Promise.resolve() }
    active.set(job.id, entry)
    const heartbeat = setInterval(() => void beat(entry), d.limits.leaseMs / 5)
    entry.done = executeJob(d, job, abort.signal, (drive) => {
      entry.drive = drive
      void beat(entry)
    })
      .catch(async (error: unknown) => {
        d.log.error({ runId: job.runId, error: errorMessage(error) }, 'phase interrupted, it will be taken up again')
        clearInterval(heartbeat)
        const retryMs = Math.min(RETRY_MS, d.limits.leaseMs)
        await d.db.transaction((tx) => updateOwnJob(tx, job, { leaseUntil: new Date(d.clock.now().getTime() + retryMs) }))
        setTimeout(wake, retryMs + 1).unref()
      })
      .catch((error: unknown) => d.log.warn({ runId: job.runId, error: errorMessage(error) }, 'the lease of an interrupted phase runs out'))
      .finally(() => {
        clearInterval(heartbeat)
        // A job whose lease ran out here may have been claimed again meanwhile.
        if (active.get(job.id) === entry) active.delete(job.id)
        wake()
      })
  }

  /** Renews the lease, and learns of a cancel or of having lost the job. */
  const beat = async (entry: Active): Promise<void> => {
    try {
      const row = await d.db.transaction((tx) => updateOwnJob(tx, entry.job, { leaseUntil: leaseUntil() }))
      if (row === undefined) {
        if (active.has(entry.job.id)) entry.abort.abort(new Fenced())
        return
      }
      if (row.cancelMode !== null && row.cancelMode !== entry.cancelMode && entry.drive !== undefined) {
        await entry.drive.cancel(row.cancelMode)
        entry.cancelMode = row.cancelMode
      }
    } catch (error) {
      d.log.warn({ runId: entry.job.runId, error: errorMessage(error) }, 'heartbeat of a phase failed')
    }
  }

  const sweep = (graceMs: number): void => {
    const isBusy = (runId: string): boolean => kept.has(runId) || [...active.values()].some((entry) => entry.job.runId === runId)
    sweeping = sweeping
      .then(() => sweepLeftovers(d, { isBusy, graceMs }))
      .catch((error: unknown) => d.log.warn({ error: errorMessage(error) }, 'what ended runs left behind could not be removed'))
  }

  return {
    signals: {
      pending: wake,
      changed: (jobId) => {
        const entry = active.get(jobId)
        if (entry !== undefined) void beat(entry)
      },
    },
    start: (options) => {
      isStopped = false
      isAlone = options.isAlone
      timer = setInterval(wake, POLL_MS)
      sweepTimer = setInterval(() => sweep(SWEEP_MS), SWEEP_MS)
      sweep(isAlone ? 0 : SWEEP_MS)
      wake()
    },
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      clearInterval(sweepTimer)
      await sweeping
      await isTaking
      for (const entry of active.values()) entry.abort.abort(new HandedOver())
      await Promise.all([...active.values()].map((entry) => entry.done))
      await d.kept.close()
      await d.db
        .transaction((tx) => releaseJobs(tx, d.controllerId, d.clock.now()))
        .catch((error: unknown) => d.log.warn({ error: errorMessage(error) }, 'the leases of this server run out by themselves'))
    },
  }
}
