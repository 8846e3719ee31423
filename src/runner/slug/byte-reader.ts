import { badSlug } from './refuse.ts'

export type ByteReader = {
  /** Exactly so many bytes; undefined when the source has ended before the first. */
  take(bytes: number): Promise<Buffer | undefined>
  /** The next so many bytes as they come. */
  stream(bytes: number): AsyncGenerator<Buffer>
  /** Reads to the end and forgets. */
  drain(): Promise<void>
}

/** Cuts a stream of chunks into pieces. Throws RunnerError `BAD_SLUG` when the source ends inside a piece. */
export const makeByteReader = (source: AsyncIterable<Buffer>): ByteReader => {
  const iterator = source[Symbol.asyncIterator]()
  let buffered: Buffer = Buffer.alloc(0)

  const fill = async (): Promise<boolean> => {
    const next = await iterator.next()
    if (next.done === true) return false
    buffered = buffered.length === 0 ? next.value : Buffer.concat([buffered, next.value])
    return true
  }

  const cut = (bytes: number): Buffer => {
    const piece = buffered.subarray(0, bytes)
    buffered = buffered.subarray(bytes)
    return piece
  }

  return {
    async take(bytes) {
      while (buffered.length < bytes) {
        if (await fill()) continue
        if (buffered.length === 0) return undefined
        throw badSlug('ends in the middle of an entry')
      }
      return cut(bytes)
    },
    async *stream(bytes) {
      for (let left = bytes; left > 0;) {
        if (buffered.length === 0 && !(await fill())) throw badSlug('ends in the middle of an entry')
        const piece = cut(Math.min(left, buffered.length))
        left -= piece.length
        yield piece
      }
    },
    async drain() {
      buffered = Buffer.alloc(0)
      for (let next = await iterator.next(); next.done !== true;) next = await iterator.next()
    },
  }
}
