import type { Clock } from '../../platform/clock.ts'

export type Liveness = {
  /** The controller said something. */
  touch(): void
  /** It is there until the answered function is called. */
  hold(): () => void
  /** It is there for as long as the stream is open. */
  during<T>(stream: AsyncGenerator<T>): AsyncGenerator<T>
  /** Begins to watch, or goes on with another grace. */
  start(graceMs: number): void
  dispose(): void
}

/** Notices that the controller is gone: nothing open and no call for the grace. `onSilent` is called once. */
export const makeLiveness = (clock: Clock, onSilent: () => void): Liveness => {
  let held = 0
  let lastAtMs = 0
  let timer: NodeJS.Timeout | undefined
  const touch = (): void => {
    lastAtMs = clock.monotonicMs()
  }
  const hold = (): (() => void) => {
    held += 1
    return () => {
      held -= 1
      touch()
    }
  }
  return {
    touch,
    hold,
    async *during(stream) {
      const release = hold()
      try {
        yield* stream
      } finally {
        release()
      }
    },
    start(graceMs) {
      clearInterval(timer)
      touch()
      const look = (): void => {
        if (held > 0 || clock.monotonicMs() - lastAtMs < graceMs) return
        clearInterval(timer)
        onSilent()
      }
      timer = setInterval(look, Math.max(20, Math.min(graceMs / 10, 5000))).unref()
    },
    dispose: () => clearInterval(timer),
  }
}
