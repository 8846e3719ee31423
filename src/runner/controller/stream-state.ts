import type { StateAck, StateSnapshot } from '../gen/runner/v1/runner.ts'
import { RunnerError, type Runner } from '../runner.ts'
import { type Drive, Fenced, isTransport } from './drive.ts'
import { keepErroredState } from './keep-errored-state.ts'
import { updateOwnJob, withRunnerTables } from './queries.ts'

/** Takes every state snapshot of an apply and acknowledges it once it is stored. Resolves after the final one. */
export const streamState = async (drive: Drive): Promise<void> => {
  for (;;) {
    const runner = drive.runner()
    try {
      if ((await takeSnapshots(drive, runner)) || (await isDelivered(drive, runner))) return
      throw new RunnerError('UNAVAILABLE', 'the state stream ended before the final snapshot')
    } catch (error) {
      if (!isTransport(error)) throw error
      await drive.reconnect(runner)
    }
  }
}

/** Whether the stream has nothing to say any more: an earlier controller has acknowledged the final snapshot. */
const isDelivered = async ({ lease }: Drive, runner: Runner): Promise<boolean> => {
  const { operations, unackedSnapshots } = await runner.status({ lease })
  return unackedSnapshots === 0 && operations.some(({ kind, done }) => kind === 'apply' && done)
}

/** True when the final snapshot was stored. */
const takeSnapshots = async (drive: Drive, runner: Runner): Promise<boolean> => {
  const { d, job, lease } = drive
  const acks = makeAcks({ lease, seq: job.lastStateSeq })
  let parts: Buffer[] = []
  let bytes = 0
  const onAbort = (): void => acks.end()
  drive.signal.addEventListener('abort', onAbort, { once: true })
  try {
    for await (const snapshot of runner.stateStream(acks.stream)) {
      if (drive.signal.aborted) throw drive.signal.reason
      parts.push(Buffer.from(snapshot.bytes))
      bytes += snapshot.bytes.length
      if (bytes > d.limits.stateBytes) throw new RunnerError('RESOURCE_EXHAUSTED', `the state is larger than ${d.limits.stateBytes} bytes`)
      if (!snapshot.last) continue
      const whole = Buffer.concat(parts)
      parts = []
      bytes = 0
      if (whole.length > 0 && snapshot.seq > job.lastStateSeq) await commit(drive, snapshot, whole)
      await drive.fenced(async () => undefined, { lastStateSeq: Math.max(snapshot.seq, job.lastStateSeq) })
      acks.push({ lease, seq: snapshot.seq })
      if (snapshot.final) return true
    }
    if (drive.signal.aborted) throw drive.signal.reason
    return false
  } finally {
    drive.signal.removeEventListener('abort', onAbort)
    acks.end()
  }
}

/** A snapshot that is refused is no reason to stop terraform, which would only leave more behind: it is kept aside, and the run ends as errored. */
const commit = async (drive: Drive, { lineage, serial, sha256 }: StateSnapshot, bytes: Buffer): Promise<void> => {
  const { d, job } = drive
  const decision = await d.state.commitRunSnapshot({
    workspaceId: job.workspaceId,
    runId: job.runId,
    lineage,
    serial,
    bytes,
    sha256,
    fence: async (tx) => {
      if ((await updateOwnJob(withRunnerTables(tx), job, {})) === undefined) throw new Fenced()
    },
  })
  if (decision.kind !== 'refused') return
  if (decision.reason === 'CHECKSUM') throw new RunnerError('UNAVAILABLE', decision.detail)
  d.log.error({ runId: job.runId, serial, reason: decision.reason }, 'state snapshot of a run was refused')
  await keepErroredState(d, job, bytes)
}

/** A stream that can be pushed into; the first ack is there from the start. */
const makeAcks = (first: StateAck) => {
  const waiting: StateAck[] = [first]
  let isEnded = false
  let wake = (): void => undefined
  const stream = (async function* (): AsyncGenerator<StateAck> {
    for (;;) {
      const next = waiting.shift()
      if (next !== undefined) yield next
      else if (isEnded) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  })()
  return {
    stream,
    push: (ack: StateAck): void => {
      waiting.push(ack)
      wake()
    },
    end: (): void => {
      isEnded = true
      wake()
    },
  }
}
