import type { Log } from '../../platform/log.ts'
import { endProcess } from './process-end.ts'
import { type StartedWorker, spawnWorker } from './process-spawn.ts'
import { isRunning } from './process-table.ts'

/** Started workers without identity or port, so that a run does not wait for a process to load. */
export type WorkerPool = {
  /** Fills the pool, now and after each `take`, until nobody asked for `idleMs`. */
  warm(): void
  /** A worker of the pool, or a new one. It is the caller's from then on. Throws RunnerError `UNAVAILABLE`. */
  take(): Promise<StartedWorker>
  /** Ends what is left in the pool. */
  close(): Promise<void>
}

/** The run that took a worker needs the processor more than the next one. */
const REFILL_DELAY_MS = 1_000

/** A pool that is empty until the first `warm`. `entry`: command and arguments that start a worker. */
export const makeWorkerPool = ({
  entry,
  log,
  size = 2,
  idleMs = 5 * 60_000,
}: {
  entry: readonly string[]
  log: Log
  size?: number
  idleMs?: number
}): WorkerPool => {
  const waiting: Promise<StartedWorker>[] = []
  let isWarm = false
  let idle: NodeJS.Timeout | undefined

  const start = (): Promise<StartedWorker> => {
    const starting = spawnWorker(entry, log)
    starting.catch((error: unknown) => log.warn({ err: error }, 'a worker could not be started ahead'))
    return starting
  }
  const fill = (): void => {
    if (!isWarm) return
    while (waiting.length < size) waiting.push(start())
  }
  const empty = async (): Promise<void> => {
    isWarm = false
    clearTimeout(idle)
    const ended = waiting.splice(0).map(async (starting) => {
      const worker = await starting.catch(() => undefined)
      if (worker) await endProcess(worker.pid, worker.startTicks)
    })
    await Promise.all(ended)
  }
  const used = (): void => {
    clearTimeout(idle)
    idle = setTimeout(() => {
      empty().catch((error: unknown) => log.error({ err: error }, 'idle workers could not be ended'))
    }, idleMs).unref()
  }

  return {
    warm: () => {
      isWarm = true
      used()
      fill()
    },
    take: async () => {
      if (isWarm) {
        used()
        setTimeout(fill, REFILL_DELAY_MS).unref()
      }
      for (let starting = waiting.shift(); starting; starting = waiting.shift()) {
        const worker = await starting.catch(() => undefined)
        if (worker && isRunning(worker.pid, worker.startTicks)) return worker
      }
      return spawnWorker(entry, log)
    },
    close: empty,
  }
}
