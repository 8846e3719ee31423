/** Lets one loop wait for a wake-up, at most some time. A wake-up while nobody waits is kept for the next wait. */
export const makeWaker = (signal: AbortSignal) => {
  let isPending = false
  let resume: (() => void) | undefined
  const wake = (): void => {
    isPending = true
    resume?.()
  }
  signal.addEventListener('abort', wake, { once: true })
  return {
    wake,
    wait: async (timeoutMs: number): Promise<void> => {
      if (!isPending && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          resume = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        resume = undefined
      }
      isPending = false
    },
  }
}
