import type { Log } from '../../platform/log.ts'
import type { Rehearsal } from '../host/bootstrap.ts'
import type { StartedWorker } from './process-spawn.ts'
import { isRunning } from './process-table.ts'

/** Started workers without identity or port, so that a run does not wait for a process to load. */
export type WorkerPool<W> = {
  /** Keeps the pool full until nobody asked for `idleMs`: fills it while no worker is at work, and some time after a `take`. */
  warm(): void
  /** A worker of the pool, or a new one. It is the caller's from then on. Throws RunnerError `UNAVAILABLE`. */
  take(): Promise<W>
  /** Ends what is left in the pool. */
  close(): Promise<void>
}

/** The run that took a worker needs the processor more than the next one: the pool is filled when that has ended, or after this time. */
const REFILL_DELAY_MS = 2_000
/** One that was just started may be wanted at once. It rehearses after this time, or when nobody works any more. */
const REHEARSE_AFTER_MS = 500

type Waiting<W> = { starting: Promise<W>; isRehearsed: boolean }

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
  const waiting: Waiting<W>[] = []
  const atWork = new Set<number>()
  let isWarm = false
  let idle: NodeJS.Timeout | undefined
  let refill: NodeJS.Timeout | undefined

  const start = (): Waiting<W> => {
    const entry = { starting: startWorker(), isRehearsed: false }
    entry.starting.catch((error: unknown) => log.warn({ err: error }, 'a worker could not be started ahead'))
    setTimeout(() => void rehearse(entry), REHEARSE_AFTER_MS).unref()
    return entry
  }
  const rehearse = async (entry: Waiting<W>): Promise<void> => {
    // The processor is for those who work.
    if (rehearsal === undefined || atWork.size > 0 || entry.isRehearsed || !waiting.includes(entry)) return
    entry.isRehearsed = true
    try {
      const [message, { stdin }] = await Promise.all([rehearsal(), entry.starting])
      if (waiting.includes(entry)) stdin.write(`${JSON.stringify({ rehearsal: message })}\n`)
    } catch (error) {
      log.warn({ err: error }, 'a worker could not rehearse')
    }
  }
  const fill = (): void => {
    clearTimeout(refill)
    if (!isWarm) return
    while (waiting.length < size) waiting.push(start())
  }
  const rest = (): void => {
    for (const entry of waiting) void rehearse(entry)
    fill()
  }
  const empty = async (): Promise<void> => {
    isWarm = false
    clearTimeout(idle)
    clearTimeout(refill)
    const ended = waiting.splice(0).map(async ({ starting }) => {
      const worker = await starting.catch(() => undefined)
      if (worker) await end(worker)
    })
    await Promise.all(ended)
  }
  const taken = (worker: W): W => {
    atWork.add(worker.pid)
    const ended = (): void => {
      atWork.delete(worker.pid)
      if (atWork.size === 0) rest()
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
      if (atWork.size === 0) fill()
    },
    take: async () => {
      if (isWarm) {
        used()
        clearTimeout(refill)
        refill = setTimeout(fill, REFILL_DELAY_MS).unref()
      }
      for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
        const worker = await entry.starting.catch(() => undefined)
        if (worker && isRunning(worker.pid, worker.startTicks)) return taken(worker)
        if (worker) await end(worker)
      }
      return taken(await startWorker())
    },
    close: empty,
  }
}
