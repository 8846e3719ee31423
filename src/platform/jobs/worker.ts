import type { Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'
import { errorMessage } from '../errors.ts'
import { randomBase58 } from '../ids.ts'
import type { Log } from '../log.ts'
import { makePoller } from '../poller.ts'
import { claimJobs, extendJob, hasDueJobs, type ClaimedJob } from './claim.ts'
import type { JobOutcome } from './decide-end.ts'
import { finishJob } from './finish.ts'
import type { JobPayload } from './queue.ts'

export type JobContext = {
  /** Aborts at shutdown, and when the job has gone to another worker: stop without further effects, by throwing. */
  signal: AbortSignal
  /** From 1. */
  attempt: number
}

export type WorkerOptions = {
  queue: string
  concurrency: number
  /** May run more than once for one job (crash, shutdown), never twice at a time while leases are kept. */
  handle: (payload: JobPayload, context: JobContext) => Promise<void>
  /** How long a silent worker keeps a job; it is extended while the handler runs. */
  leaseMs: number
}

type Deps = { db: Database<PlatformTables>; clock: Clock; log: Log; owner: string }

/** Works off one queue. */
export const makeWorker = ({ db, clock, log, owner }: Deps, { queue, concurrency, handle, leaseMs }: WorkerOptions) => {
  const running = new Set<Promise<void>>()
  const shutdown = new AbortController()

  /** Keeps the lease of a claimed job; aborts `lost` when another worker has the job or may have it. */
  const heartbeat = (job: ClaimedJob, claimOwner: string, lost: AbortController): NodeJS.Timeout => {
    let extendedAtMs = clock.monotonicMs()
    const extend = async (): Promise<void> => {
      const startedAtMs = clock.monotonicMs()
      const until = new Date(clock.now().getTime() + leaseMs)
      try {
        if (!(await db.transaction((tx) => extendJob(tx, job.id, claimOwner, until)))) lost.abort()
        extendedAtMs = startedAtMs
      } catch (error) {
        log.warn({ job: job.id, error: errorMessage(error) }, 'job lease could not be extended')
        if (clock.monotonicMs() - extendedAtMs > leaseMs) lost.abort()
      }
    }
    return setInterval(() => void extend(), leaseMs / 3)
  }

  const run = async (job: ClaimedJob, claimOwner: string): Promise<void> => {
    const lost = new AbortController()
    const timer = heartbeat(job, claimOwner, lost)
    let outcome: JobOutcome
    try {
      await handle(job.payload, { signal: AbortSignal.any([lost.signal, shutdown.signal]), attempt: job.attempts })
      outcome = { kind: 'done' }
    } catch (error) {
      outcome = shutdown.signal.aborted ? { kind: 'interrupted' } : { kind: 'failed', error }
    } finally {
      clearInterval(timer)
    }
    const end = await db.transaction((tx) => finishJob(tx, { job, owner: claimOwner, outcome, now: clock.now(), random: Math.random() }))
    if (end === undefined) log.warn({ queue, job: job.id }, 'job went to another worker while it ran here')
    else if (outcome.kind === 'failed')
      log.warn({ queue, job: job.id, attempt: job.attempts, status: end.status, error: end.lastError }, 'job failed')
  }

  const launch = (job: ClaimedJob, claimOwner: string): void => {
    const promise: Promise<void> = run(job, claimOwner)
      // the lease ends, and the job runs again
      .catch((error: unknown) => log.error({ queue, job: job.id, error: errorMessage(error) }, 'end of job could not be written'))
      .then(() => {
        running.delete(promise)
        poller.wake()
      })
    running.add(promise)
  }

  const poller = makePoller({
    name: `jobs ${queue}`,
    log,
    tick: async () => {
      const limit = concurrency - running.size
      if (limit <= 0 || !(await hasDueJobs(db, queue, clock.now()))) return false
      // a name of its own for each claim: an earlier run of a job, still busy here after its lease was lost, cannot end the newer one
      const claimOwner = `${owner}/${randomBase58(8)}`
      const claimed = await db.transaction((tx) => claimJobs(tx, { queue, limit, owner: claimOwner, now: clock.now(), leaseMs }))
      for (const job of claimed) launch(job, claimOwner)
      return claimed.length === limit
    },
  })

  return {
    start: poller.start,
    wake: poller.wake,
    /** Claims no more, aborts the running handlers and waits for their end. */
    stop: async (): Promise<void> => {
      await poller.stop()
      shutdown.abort()
      await Promise.all(running)
    },
  }
}
