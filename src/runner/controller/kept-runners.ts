import { errorMessage } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { Lease } from '../gen/runner/v1/runner.ts'
import type { ConnectedRunner, Placement } from './placement.ts'

/** A runner whose plan is done, with the lease that it obeys until it is bound to the apply. */
export type KeptRunner = { connected: ConnectedRunner; lease: Lease }

export type KeptRunners = {
  /** Holds the runner of a finished plan ready for the apply. The oldest goes when there are too many. */
  keep(runId: string, kept: KeptRunner): void
  /** The caller's from then on. One that is being ended has ended, and its directory is gone, when the answer is undefined. */
  take(runId: string): Promise<KeptRunner | undefined>
  has(runId: string): boolean
  close(): Promise<void>
}

type Options = {
  placement: Placement
  /** Whether the run may still be applied. */
  isWanted(runId: string): Promise<boolean>
  log: Log
  max?: number
  keepMs?: number
  lookMs?: number
}

type Entry = KeptRunner & { sinceMs: number }

/**
 * Runners between plan and apply: an apply that comes soon needs no new process, no upload and no second init. They are an optimisation and nothing
 * else: what the apply needs is in the store, and a runner that is not here any more is replaced by a fresh one.
 */
export const makeKeptRunners = ({ placement, isWanted, log, max = 4, keepMs = 5 * 60_000, lookMs = 20_000 }: Options): KeptRunners => {
  const entries = new Map<string, Entry>()
  const ending = new Map<string, Promise<void>>()
  let timer: NodeJS.Timeout | undefined

  const dismiss = async (runId: string, { connected, lease }: KeptRunner): Promise<void> => {
    try {
      await connected.runner.shutdown({ lease, cleanup: true })
      await placement.destroy(connected.ref)
      await placement.discard(connected.ref)
    } catch (error) {
      // Its directory may belong to the runner of the apply by now, which another controller started: that one cleans up.
      log.info({ runId, reason: errorMessage(error) }, 'a kept runner was gone')
    } finally {
      connected.close()
    }
  }

  const drop = async (runId: string): Promise<void> => {
    const entry = entries.get(runId)
    if (entry === undefined) return
    entries.delete(runId)
    const ended = dismiss(runId, entry).finally(() => ending.delete(runId))
    ending.set(runId, ended)
    await ended
  }

  /** The call tells the runner that somebody is there; without one it would end itself. */
  const look = async (runId: string, entry: Entry): Promise<void> => {
    const isOld = performance.now() - entry.sinceMs > keepMs
    const isAlive = await entry.connected.runner.status({ lease: entry.lease }).then(
      () => true,
      () => false,
    )
    if (entries.get(runId) === entry && (isOld || !isAlive || !(await isWanted(runId)))) await drop(runId)
  }

  const lookAtAll = async (): Promise<void> => {
    for (const [runId, entry] of entries) await look(runId, entry)
  }

  return {
    keep: (runId, kept) => {
      entries.set(runId, { ...kept, sinceMs: performance.now() })
      const [oldest] = entries.keys()
      if (entries.size > max && oldest !== undefined) void drop(oldest)
      timer ??= setInterval(() => {
        lookAtAll().catch((error: unknown) => log.warn({ error: errorMessage(error) }, 'kept runners could not be looked at'))
      }, lookMs).unref()
    },
    take: async (runId) => {
      // The next runner of this run has the same directory.
      await ending.get(runId)
      const entry = entries.get(runId)
      entries.delete(runId)
      return entry
    },
    has: (runId) => entries.has(runId) || ending.has(runId),
    close: async () => {
      clearInterval(timer)
      await Promise.all([...[...entries.keys()].map(drop), ...ending.values()])
    },
  }
}
