export type Changes = {
  readonly version: number
  notify(): void
  /** Resolves when the version is another than the given one, at once if it is already; false when the time ran out. */
  after(version: number, timeoutMs?: number): Promise<boolean>
}

/** Wakes those who wait for something to change. Take the version, look at the state, then wait: nothing is missed. */
export const makeChanges = (): Changes => {
  let version = 0
  let waiting = new Set<() => void>()
  return {
    get version() {
      return version
    },
    notify() {
      version += 1
      const woken = waiting
      waiting = new Set()
      for (const wake of woken) wake()
    },
    async after(seen, timeoutMs) {
      if (seen !== version) return true
      return new Promise((resolve) => {
        const settle = (changed: boolean): void => {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve(changed)
        }
        const wake = (): void => settle(true)
        const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle(false), timeoutMs).unref()
        waiting.add(wake)
      })
    },
  }
}
