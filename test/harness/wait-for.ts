/**
 * Polls `probe` until it answers something other than undefined or false. Throws with the last error, or `what`, at the deadline.
 */
export const waitFor = async <T>(
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 10_000, everyMs = 10, what = 'condition' }: { timeoutMs?: number; everyMs?: number; what?: string } = {},
): Promise<T> => {
  const deadline = performance.now() + timeoutMs
  let last: unknown
  for (;;) {
    try {
      const value = await probe()
      if (value !== undefined && value !== false) return value
      last = undefined
    } catch (error) {
      last = error
    }
    if (performance.now() > deadline) throw last ?? new Error(`timed out after ${timeoutMs} ms waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
