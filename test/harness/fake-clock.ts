import type { Clock } from '../../src/platform/clock.ts'

/** A clock that stands still until it is told to go on. `monotonicMs` goes with it. */
export const makeFakeClock = (start = new Date('2026-01-02T03:04:05.678Z')): Clock & { advance(ms: number): void } => {
  let nowMs = start.getTime()
  return {
    now: () => new Date(nowMs),
    monotonicMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms
    },
  }
}
