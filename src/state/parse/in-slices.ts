import { setImmediate } from 'node:timers/promises'

const SLICE_MS = 10

/** Runs long work that yields now and then; between slices of about 10 ms other requests get their turn. Short work ends at once. */
export const inSlices = async <T>(work: Generator<void, T>): Promise<T> => {
  let until = performance.now() + SLICE_MS
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    if (performance.now() < until) continue
    await setImmediate()
    until = performance.now() + SLICE_MS
  }
}
