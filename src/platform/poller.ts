import { errorMessage } from './errors.ts'
import type { Log } from './log.ts'

/** Runs `tick` when woken, at once or `restMs` after the last one, and at least each `intervalMs`; never two at a time. */
export type Poller = { start: () => void; wake: () => void; /** Resolves when a running tick has ended. */ stop: () => Promise<void> }

type Options = {
  name: string
  log: Log
  /** `true` when there is more to do at once. */
  tick: () => Promise<boolean>
  intervalMs?: number
  /** For work that can wait: wake-ups within this time of the last tick are served together. */
  restMs?: number
}

const MAX_BACKOFF_MS = 30_000

/** A loop that survives errors of `tick`: they are logged and tried again after 0.1 s, doubling to 30 s. Wake-ups do not cut that short. */
export const makePoller = ({ name, log, tick, intervalMs = 1000, restMs = 0 }: Options): Poller => {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let active = false
  let woken = false
  let failures = 0
  let restsUntil = 0

  const schedule = (delayMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(run, delayMs)
  }

  const run = (): void => {
    if (!active || running !== undefined) return
    clearTimeout(timer)
    woken = false
    running = tick()
      .then(
        (more) => {
          failures = 0
          return more ? 0 : woken ? restMs : intervalMs
        },
        (error: unknown) => {
          log.error({ poller: name, error: errorMessage(error) }, 'failed, trying again')
          return Math.min(MAX_BACKOFF_MS, 100 * 2 ** failures++)
        },
      )
      .then((delayMs) => {
        running = undefined
        // What is left of a full tick waits for nothing.
        restsUntil = performance.now() + Math.min(delayMs, restMs)
        if (active) schedule(delayMs)
      })
  }

  return {
    start: () => {
      active = true
      run()
    },
    wake: () => {
      woken = true
      if (failures > 0 || !active || running !== undefined) return
      const left = restsUntil - performance.now()
      if (left > 0) schedule(left)
      else run()
    },
    stop: async () => {
      active = false
      clearTimeout(timer)
      await running
    },
  }
}
