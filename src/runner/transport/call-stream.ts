import type { Readable } from 'node:stream'
import { readAll } from './stream.ts'

type Call = Readable & { cancel(): void }

/**
 * Messages of a call that `open` begins at the first read. Leaving cancels the call at once, even while a read waits; the signal
 * given to `open` is aborted when the call is over, however it ends. `explain` turns what went wrong into the error that the reader gets.
 */
export const callStream = <A>(open: (over: AbortSignal) => Call, explain: (error: unknown) => Promise<unknown>): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => {
    const over = new AbortController()
    let call: Call | undefined
    async function* read(): AsyncGenerator<A> {
      try {
        call = open(over.signal)
        // The status arrives as an error event, also when nobody reads any more.
        call.on('error', () => undefined)
        yield* readAll<A>(call)
      } catch (error) {
        throw await explain(error)
      } finally {
        over.abort()
        call?.cancel()
      }
    }
    const messages = read()
    return {
      next: () => messages.next(),
      return: () => {
        call?.cancel()
        return messages.return(undefined)
      },
    }
  },
})
