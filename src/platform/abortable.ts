/** Settles as `work` does, or rejects with the reason of `signal`, whichever comes first; `work` itself goes on. */
export const abortable = <R>(work: Promise<R>, signal: AbortSignal): Promise<R> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
