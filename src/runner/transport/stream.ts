import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/**
 * Messages of a gRPC stream. The consumer's pace is the sender's: nothing is read ahead beyond the stream's own small buffer.
 * Leaving the loop early does not destroy the stream, because it may still have to carry a status.
 */
export const readAll = <T>(stream: Readable): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => stream.iterator({ destroyOnReturn: false }),
})

/**
 * Writes every message of `source`, waiting for `drain` whenever the stream is full. Ends early, and ends `source`, once
 * `stop` is aborted: the peer is gone. Does not end the stream.
 */
export const writeAll = async <T>(stream: Writable, source: AsyncIterable<T>, stop: AbortSignal): Promise<void> => {
  const iterator = source[Symbol.asyncIterator]()
  // A source that waits for something hears of the end at once; a generator hears of it after its next message.
  const leave = (): void => void iterator.return?.().catch(() => undefined)
  stop.addEventListener('abort', leave, { once: true })
  let next: IteratorResult<T> | undefined
  try {
    while (!stop.aborted) {
      next = await iterator.next()
      if (next.done || stop.aborted) return
      if (!stream.write(next.value)) await drained(stream, stop)
    }
  } finally {
    stop.removeEventListener('abort', leave)
    if (!next?.done) leave()
  }
}

const drained = (stream: Writable, stop: AbortSignal): Promise<unknown> =>
  once(stream, 'drain', { signal: stop }).catch((error: unknown) => {
    if (!stop.aborted) throw error
  })
