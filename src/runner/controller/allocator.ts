import { errorMessage } from '../../platform/errors.ts'
import { mayBeApplied } from '../../runs/index.ts'
import { claimOrphanedJob, claimPendingJob } from './claim-queries.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { type Drive, Fenced, HandedOver } from './drive.ts'
import { endByForce } from './end-by-force.ts'
import type { ErrorText } from './end-phase.ts'
import { executeJob } from './execute-job.ts'
import type { JobSignals } from './executor.ts'
import { makeFailureCount } from './failure-count.ts'
import { giveUp, isHopeless, pauseMs } from './give-up.ts'
import { makeGoneOwners } from './gone-owners.ts'
import { makeKeptRunners } from './kept-runners.ts'
import { LAZY } from './lazy.ts'
import { queueNext } from './queue-next.ts'
import { releaseJobs, updateOwnJob } from './queries.ts'
import { sweepLeftovers } from './sweep-leftovers.ts'

const POLL_MS = 2000
/** The runner keeps the deadline itself, with time to save its state; after this it is taken for stuck. */
const OVERDUE_MS = 30 * 60_000
const SWEEP_MS = 60_000

type Active = {
  job: JobRow
  abort: AbortController
  drive: Drive | undefined
  cancelMode: JobRow['cancelMode']
  /** When the phase is taken for stuck; monotonic, so that a jump of the clock ends nothing. Undefined before it has a deadline. */
  overdueAtMs: number | undefined
  /** Set once the phase is to end without its runner. */
  force: NodeJS.Timeout | undefined
  done: Promise<void>
}

const killed: ErrorText = ['Run canceled by force', 'The phase was ended at once. What was under way may be incomplete.']
const overdue: ErrorText = ['Time limit reached', 'The phase did not end at its time limit and was ended by force.']

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
  const failures = makeFailureCount()
  /** When who got a runner last, for the order of service. */
  const servedAt = new Map<string, number>()
  let turn = 0
  const goneOwners = makeGoneOwners(d, () => wake())
  let isStopped = true
  let isAlone = false
  let isTaking: Promise<void> | undefined
  let isWanted = false
  let timer: NodeJS.Timeout | undefined
  let sweepTimer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> = Promise.resolve()

  const leaseUntil = (): Date => new Date(d.clock.now().getTime() + d.limits.leaseMs)

  const claim = async (gone: readonly string[]): Promise<JobRow | undefined> => {
    const isFull = active.size >= d.limits.capacity
    const own = { owner: d.controllerId, now: d.clock.now(), leaseUntil: leaseUntil(), activeIds: [...active.keys()] }
    return d.db.transaction(async (tx) => {
      const orphan = await claimOrphanedJob(tx, { ...own, isAlone, gone, isFull })
      // The phases of a run share its directory: the next one begins when the one before has cleaned up.
      const busy = [...active.values()].map((entry) => entry.job.runId)
      return orphan ?? (isFull ? undefined : claimPendingJob(tx, { ...own, busy, servedAt }))
    }, LAZY)
  }

  const take = async (): Promise<void> => {
    do {
      isWanted = false
      const gone = await goneOwners()
      while (!isStopped) {
        const job = await claim(gone)
        if (job === undefined) {
          if (active.size < d.limits.capacity && (await queueNext(d, servedAt))) continue
          break
        }
        for (const id of [job.organizationId, job.workspaceId]) servedAt.set(id, ++turn)
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
        if (isWanted && !isStopped) wake()
      })
  }

  const run = (job: JobRow): void => {
    d.placement.warm()
    const abort = new AbortController()
    const entry: Active = {
      job,
      abort,
      drive: undefined,
      cancelMode: null,
      overdueAtMs: undefined,
      force: undefined,
      done: Promise.resolve(),
    }
    active.set(job.id, entry)
    const heartbeat = setInterval(() => void beat(entry), d.limits.leaseMs / 5)
    const onDrive = (drive: Drive): void => {
      entry.drive = drive
      void beat(entry)
    }
    const work = job.cancelMode === 'kill' ? endByForce(d, job, 'phase-canceled', killed) : executeJob(d, job, abort.signal, onDrive)
    entry.done = work
      .then(() => failures.forget(job.id))
      .catch((error: unknown) => (error instanceof Fenced ? failures.forget(job.id) : tryAgain(job, error)))
      .catch((error: unknown) => d.log.warn({ runId: job.runId, error: errorMessage(error) }, 'the lease of an interrupted phase runs out'))
      .finally(() => {
        clearInterval(heartbeat)
        clearTimeout(entry.force)
        // A job whose lease ran out here may have been claimed again meanwhile.
        if (active.get(job.id) === entry) active.delete(job.id)
        wake()
      })
  }

  /** What interrupted a phase here, a full disk perhaps, may be over in a while. If it is not, the phase ends. */
  const tryAgain = async (job: JobRow, error: unknown): Promise<void> => {
    const tries = failures.note(job)
    const retryMs = Math.min(pauseMs(tries), d.limits.leaseMs)
    const row = await d.db.transaction((tx) => updateOwnJob(tx, job, { leaseUntil: new Date(d.clock.now().getTime() + retryMs) }))
    if (row === undefined) return failures.forget(job.id)
    d.log.error({ runId: job.runId, tries, error: errorMessage(error) }, 'phase interrupted, it will be taken up again')
    if (row.cancelMode === 'kill') return endByForce(d, row, 'phase-canceled', killed)
    if (isHopeless(row, tries)) return giveUp(d, row, tries, error)
    setTimeout(wake, retryMs + 1).unref()
  }

  /** Later, unless the phase ends before: ends it, whatever holds it up. */
  const forceLater = (entry: Active, delayMs: number, how: 'fail' | 'phase-canceled', error: ErrorText): void => {
    entry.force ??= setTimeout(() => {
      d.log.warn({ runId: entry.job.runId, phase: entry.job.phase }, 'a phase does not end, it is ended by force')
      endByForce(d, entry.job, how, error)
        .catch((reason: unknown) => {
          entry.force = undefined
          if (!(reason instanceof Fenced))
            d.log.error({ runId: entry.job.runId, error: errorMessage(reason) }, 'ending a phase by force failed')
        })
        .finally(() => entry.abort.abort(new Fenced()))
    }, delayMs).unref()
  }

  const isOverdue = (entry: Active, { deadline }: JobRow): boolean => {
    if (deadline === null) return false
    const nowMs = d.clock.monotonicMs()
    entry.overdueAtMs ??= nowMs + deadline.getTime() - d.clock.now().getTime() + OVERDUE_MS
    return nowMs > entry.overdueAtMs
  }

  /** Renews the lease, and learns of a cancel or of having lost the job. */
  const beat = async (entry: Active): Promise<void> => {
    try {
      const row = await d.db.transaction((tx) => updateOwnJob(tx, entry.job, { leaseUntil: leaseUntil() }), LAZY)
      if (row === undefined) {
        if (active.has(entry.job.id)) entry.abort.abort(new Fenced())
        return
      }
      if (row.cancelMode === 'kill') forceLater(entry, d.limits.killGraceMs, 'phase-canceled', killed)
      if (isOverdue(entry, row)) forceLater(entry, 0, 'fail', overdue)
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
        else wake()
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
