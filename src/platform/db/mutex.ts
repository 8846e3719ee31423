/** First come, first served: runs one function at a time. */
export const makeMutex = (): (<R>(fn: () => Promise<R>) => Promise<R>) => {
  let tail: Promise<unknown> = Promise.resolve()
  return <R>(fn: () => Promise<R>): Promise<R> => {
    const result = tail.then(fn, fn)
    tail = result.catch(() => undefined)
    return result
  }
}
