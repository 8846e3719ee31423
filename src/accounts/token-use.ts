import { errorMessage } from '../platform/errors.ts'
import type { AccountDeps } from './deps.ts'
import { touchTokens } from './queries.ts'

const EVERY_MS = 60_000
const GATHER_MS = 1000

export type TokenUse = {
  /** Never waits. A use within a minute of the last one written is not written. */
  note(token: { id: string; lastUsedAt: Date | null }): void
  /** Writes what is pending. */
  flush(): Promise<void>
}

/** Keeps `lastUsedAt` off the path of requests: uses of a second are gathered and written together. */
export const makeTokenUse = ({ db, clock, log }: Pick<AccountDeps, 'db' | 'clock' | 'log'>): TokenUse => {
  const pending = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const ids = [...pending].sort()
    if (ids.length === 0) return
    const at = clock.now()
    try {
      await db.transaction((tx) => touchTokens(tx, ids, at))
    } catch (error) {
      // The next use writes it.
      log.warn({ error: errorMessage(error) }, 'could not write when tokens were last used')
    } finally {
      for (const id of ids) pending.delete(id)
    }
  }

  return {
    note: ({ id, lastUsedAt }) => {
      if (pending.has(id)) return
      if (lastUsedAt !== null && clock.now().getTime() - lastUsedAt.getTime() < EVERY_MS) return
      pending.add(id)
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref()
    },
    flush,
  }
}
