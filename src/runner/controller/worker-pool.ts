import type { Log } from '../../platform/log.ts'
import type { Rehearsal } from '../host/bootstrap.ts'
import type { StartedWorker } from './process-spawn.ts'
import { isRunning } from './process-table.ts'

/** Started workers without identity or port, so that a run does not wait for a process to load. */
export type WorkerPool<W> = {
  /** Fills the pool, now and after each `take`, until nobody asked for `idleMs`. */
  warm(): void
  /** A worker of the pool, or a new one. It is the caller's from then on. Throws RunnerError `UNAVAILABLE`. */
  take(): Promise<W>
  /** Ends what is left in the pool. */
  close(): Promise<void>
}

/** The run that took a worker needs the processor more than the next one: the pool is filled when that has ended, or after this time. */
const REFILL_DELAY_MS = 2_000
/** A worker that is wanted at once has no time for a rehearsal, and while others work none rehearses. */
const REHEARSE_AFTER_MS = 500

/** A pool that is empty until the first `warm`. */
export const makeWorkerPool = <W extends StartedWorker>({
  start: startWorker,
  end,
  rehearsal,
  log,
  size = 2,
  idleMs = 5 * 60_000,
}: {
  start: () => Promise<W>
  end: (worker: W) => Promise<void>
  /** What workers that wait rehearse with; none: they do not. */
  rehearsal?: () => Promise<Rehearsal>
  log: Log
  size?: number
  idleMs?: number
}): WorkerPool<W> => {
  const waiting: Promise<W>[] = []
  const atWork = new Set<number>()
  let isWarm = false
  let idle: NodeJS.Timeout | undefined

  const start = (): Promise<W> => {
    const starting = startWorker()
    starting.catch((error: unknown) => log.warn({ err: error }, 'a worker could not be started ahead'))
    rehearseLater(starting)
    return starting
  }
  const rehearseLater = (starting: Promise<W>): void => {
    setTimeout(() => {
      if (atWork.size > 0 && waiting.includes(starting)) return rehearseLater(starting)
      rehearse(starting).catch((error: unknown) => log.warn({ err: error }, 'a worker could not rehearse'))
    }, REHEARSE_AFTER_MS).unref()
  }
  const rehearse = async (starting: Promise<W>): Promise<void> => {
    const [message, worker] = await Promise.all([rehearsal?.(), starting.catch(() => undefined)])
    if (message !== undefined && worker !== undefined && waiting.includes(starting))
      worker.stdin.write(`${JSON.stringify({ rehearsal: message })}\n`)
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
      if (worker) await end(worker)
    })
    await Promise.all(ended)
  }
  const taken = (worker: W): W => {
    atWork.add(worker.pid)
    const ended = (): void => {
      atWork.delete(worker.pid)
      if (atWork.size === 0) fill()
    }
    worker.exited.then(ended, ended)
    return worker
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
        if (worker && isRunning(worker.pid, worker.startTicks)) return taken(worker)
        if (worker) await end(worker)
      }
      return taken(await startWorker())
    },
    close: empty,
  }
}
