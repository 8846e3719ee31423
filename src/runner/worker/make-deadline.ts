import type { Clock } from '../../platform/clock.ts'

const MAX_TIMEOUT_MS = 2 ** 31 - 1

export type Deadline = { set(unixMs: number): void; dispose(): void }

/** Calls `onDue` when the time has come; 0 stands for no deadline. A later `set` replaces an earlier one. */
export const makeDeadline = (clock: Clock, onDue: () => void): Deadline => {
  let timer: NodeJS.Timeout | undefined
  const arm = (unixMs: number): void => {
    const left = unixMs - clock.now().getTime()
    // A timer cannot wait longer than 24 days; it looks again then.
    timer = setTimeout(() => (left > MAX_TIMEOUT_MS ? arm(unixMs) : onDue()), Math.min(Math.max(0, left), MAX_TIMEOUT_MS)).unref()
  }
  return {
    set(unixMs) {
      clearTimeout(timer)
      if (unixMs > 0) arm(unixMs)
    },
    dispose: () => clearTimeout(timer),
  }
}
