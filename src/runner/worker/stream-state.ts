import { type Lease, Phase, type StateAck, type StateSnapshot } from '../gen/runner/v1/runner.ts'
import { RunnerError } from '../runner.ts'
import type { Session } from './session.ts'

export type StateReader = {
  /** Throws for a lease that is not in force. */
  check(lease: Lease | undefined): Session
  /** Called when the stream begins; the ones before end. */
  claim(): void
  isCurrent(): boolean
}

/**
 * Serves one state stream: the first ack names the lease and the last committed snapshot, then snapshots go out and acks
 * come in. Ends when the final one is acknowledged, when the acks end, or when a newer stream takes over.
 */
export async function* streamState(acks: AsyncIterable<StateAck>, reader: StateReader): AsyncGenerator<StateSnapshot> {
  const iterator = acks[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done === true) throw new RunnerError('INVALID_ARGUMENT', 'A state stream begins with an acknowledgement.')
  const { lease, seq } = first.value
  const { outbox, phase } = reader.check(lease)
  if (phase !== Phase.APPLY) throw new RunnerError('FAILED_PRECONDITION', 'Only the apply phase has a state stream.')
  reader.claim()
  outbox.wake()
  outbox.ack(seq)

  let open = true
  let failure: unknown
  const receive = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
        reader.check(next.value.lease ?? lease)
        outbox.ack(next.value.seq)
      }
    } catch (error) {
      failure = error
    }
    open = false
    outbox.wake()
  }
  void receive()

  const guard = (): boolean => {
    if (!open || !reader.isCurrent()) return false
    reader.check(lease)
    return true
  }
  try {
    yield* outbox.stream(guard)
    if (failure !== undefined) throw failure
  } finally {
    open = false
    void iterator.return?.()
  }
}
