import { appendLog } from '../../runs/index.ts'
import type { StepEvent, StepResult } from '../gen/runner/v1/runner.ts'
import { RunnerError, type Runner } from '../runner.ts'
import type { StepSummary } from '../tables.ts'
import { type Drive, isTransport, phaseIdOf } from './drive.ts'
import { foldEvents } from './fold-events.ts'
import { opIdOf } from './op-id.ts'

/** More than this waits in memory for the database: the stream is not read meanwhile. */
const MAX_PENDING_BYTES = 1024 * 1024

type Step = {
  name: string
  /** Starts it; the same `opId` again attaches to what runs already. */
  start(runner: Runner, opId: string): AsyncIterable<StepEvent>
}

/**
 * Runs one step to its end and keeps what it answered, through cuts of the connection and restarts of the controller: a finished step
 * is not run again, one under way is attached to after its last committed event.
 */
export const runStep = async (drive: Drive, step: Step): Promise<StepSummary> => {
  const { job } = drive
  const known = job.results[step.name]
  if (known !== undefined) return known
  const opId = opIdOf(job, step.name)
  let isStarted = job.step === step.name
  // On record with its first events: until then, starting it again under the same id only attaches.
  if (!isStarted) Object.assign(job, { step: step.name, stepSeq: 0 })
  for (;;) {
    const runner = drive.runner()
    try {
      return await follow(drive, step, isStarted ? attach(drive, runner, step, opId) : step.start(runner, opId))
    } catch (error) {
      if (!isTransport(error)) throw error
      isStarted = true
      await drive.reconnect(runner)
    }
  }
}

/** The rest of an operation's events. The operation may never have begun: then it begins now. */
const attach = async function* (drive: Drive, runner: Runner, step: Step, opId: string): AsyncGenerator<StepEvent> {
  try {
    yield* runner.attach({ lease: drive.lease, opId, fromSeq: drive.job.stepSeq })
  } catch (error) {
    if (!(error instanceof RunnerError) || error.code !== 'NOT_FOUND') throw error
    yield* step.start(runner, opId)
  }
}

/** Commits events as they come, as many as there are in one transaction, and answers the result. */
const follow = async (drive: Drive, step: Step, events: AsyncIterable<StepEvent>): Promise<StepSummary> => {
  let pending: StepEvent[] = []
  let pendingBytes = 0
  let isDone = false
  let failure: unknown
  let wakeWriter = (): void => undefined
  let wakeReader = (): void => undefined
  const iterator = events[Symbol.asyncIterator]()
  const onAbort = (): void => {
    failure ??= drive.signal.reason
    isDone = true
    wakeWriter()
    wakeReader()
  }
  drive.signal.addEventListener('abort', onAbort, { once: true })

  const read = async (): Promise<void> => {
    try {
      for (;;) {
        const next = await iterator.next()
        if (next.done === true || drive.signal.aborted) break
        pending.push(next.value)
        if (next.value.event?.$case === 'log') pendingBytes += next.value.event.value.bytes.length
        wakeWriter()
        if (pendingBytes > MAX_PENDING_BYTES) await new Promise<void>((resolve) => (wakeReader = resolve))
      }
    } catch (error) {
      failure ??= error
    }
    isDone = true
    wakeWriter()
  }

  const reading = read()
  try {
    for (;;) {
      if (pending.length === 0) {
        if (isDone) break
        await new Promise<void>((resolve) => (wakeWriter = resolve))
        continue
      }
      const batch = pending
      pending = []
      pendingBytes = 0
      wakeReader()
      const summary = await commitEvents(drive, step, batch)
      if (summary !== undefined) return summary
    }
    throw failure ?? new RunnerError('UNAVAILABLE', `the stream of step ${step.name} ended without a result`)
  } finally {
    drive.signal.removeEventListener('abort', onAbort)
    isDone = true
    wakeReader()
    void iterator.return?.(undefined)?.catch(() => undefined)
    void reading
  }
}

/** Answers the step's summary when its result was among the events; it is kept with them. */
const commitEvents = async (drive: Drive, step: Step, events: StepEvent[]): Promise<StepSummary | undefined> => {
  const { job } = drive
  const folded = foldEvents(job, step.name, events)
  if (folded === undefined) return undefined
  for (const { event } of events) if (event?.$case === 'result') keepSent(drive, event.value)
  const phase = { id: phaseIdOf(job, drive.material), logBytes: drive.logBytes }
  drive.logBytes = await drive.fenced((tx) => appendLog(tx, phase, folded.log), folded.patch)
  return folded.patch.results[step.name]
}

const keepSent = ({ sent }: Drive, { artifacts }: StepResult): void => {
  for (const { sha256, bytes, content } of artifacts) if (content.length === bytes) sent.set(sha256, content)
}
