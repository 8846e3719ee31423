import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'

const WINDOW_MS = 15 * 60_000
/** Failed attempts in a window: of one address at one account, of one address, at one account from anywhere. */
const MAX = { pair: 10, address: 50, account: 100 }
const MAX_ENTRIES = 10_000

type Counter = { failures: number; endsAtMs: number }

export type AttemptLimit = {
  /** Counts an attempt as failed until `succeed` says otherwise, so that many at once get no further. Throws RATE_LIMITED. */
  begin(account: string, address: string): void
  succeed(account: string, address: string): void
}

/** Bounds how often passwords can be guessed. In the memory of one process: a restart forgets, and each replica counts for itself. */
export const makeAttemptLimit = ({ clock }: { clock: Clock }): AttemptLimit => {
  const counters = new Map<string, Counter>()

  const keysOf = (account: string, address: string): [string, number][] => [
    [`pair ${address} ${account}`, MAX.pair],
    [`address ${address}`, MAX.address],
    [`account ${account}`, MAX.account],
  ]

  const counterOf = (key: string): Counter => {
    const now = clock.monotonicMs()
    const known = counters.get(key)
    if (known !== undefined && known.endsAtMs > now) return known
    counters.delete(key)
    const fresh = { failures: 0, endsAtMs: now + WINDOW_MS }
    counters.set(key, fresh)
    for (const oldest of counters.keys()) {
      if (counters.size <= MAX_ENTRIES) break
      counters.delete(oldest)
    }
    return fresh
  }

  return {
    begin: (account, address) => {
      const limited = keysOf(account, address).map(([key, max]) => ({ counter: counterOf(key), max }))
      if (limited.some(({ counter, max }) => counter.failures >= max))
        throw new AppError('RATE_LIMITED', 'Too many failed attempts to sign in. Wait 15 minutes, then try again.')
      for (const { counter } of limited) counter.failures++
    },
    succeed: (account, address) => {
      for (const [key] of keysOf(account, address)) {
        const counter = counterOf(key)
        counter.failures = key.startsWith('pair ') ? 0 : Math.max(0, counter.failures - 1)
      }
    },
  }
}
