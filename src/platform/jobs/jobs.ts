import type { Clock } from '../clock.ts'
import type { Database, Tx } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'
import type { Log } from '../log.ts'
import { enqueueJob, type NewJob } from './queue.ts'
import { makeWorker, type WorkerOptions } from './worker.ts'

export type Jobs = {
  /** Adds the job with the change that needs it, see enqueueJob. */
  enqueue(tx: Tx<PlatformTables>, job: NewJob): Promise<void>
  /** Works off a queue in this process, which may be called once per queue. */
  start(options: WorkerOptions): void
  /** Resolves when all handlers have ended; they are told to by their signal. Interrupted jobs run again on the next start. */
  stop(): Promise<void>
}

/** Background work that survives restarts. `owner` is unique to this start of the process. */
export const makeJobs = (deps: { db: Database<PlatformTables>; clock: Clock; log: Log; owner: string }): Jobs => {
  const workers = new Map<string, ReturnType<typeof makeWorker>>()

  return {
    enqueue: async (tx, job) => {
      await enqueueJob(tx, job, deps.clock.now())
      tx.afterCommit(() => workers.get(job.queue)?.wake())
    },
    start: (options) => {
      if (workers.has(options.queue)) throw new Error(`queue ${options.queue} is worked off already`)
      const worker = makeWorker(deps, options)
      workers.set(options.queue, worker)
      worker.start()
    },
    stop: async () => {
      await Promise.all([...workers.values()].map((worker) => worker.stop()))
    },
  }
}
