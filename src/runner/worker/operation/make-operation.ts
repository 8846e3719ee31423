import type { Clock } from '../../../platform/clock.ts'
import type { OperationState, ResourceProgress, StepEvent, StepResult } from '../../gen/runner/v1/runner.ts'
import { CHUNK_BYTES } from '../../runner.ts'
import { makeChanges } from './changes.ts'
import { type EventFile, openEventFile } from './event-file.ts'

const PING_MS = 15_000

/** How a step says what happens. All texts and bytes must be masked before. */
export type StepOutput = {
  /** Resolves when the bytes are written, and whoever waits had a turn: a fast writer is slowed down to the disk. */
  log(bytes: Buffer): Promise<void>
  notice(text: string): void
  progress(progress: ResourceProgress): void
}

export type Operation = {
  readonly state: OperationState
  readonly output: StepOutput
  /** Bytes of log so far. */
  readonly logBytes: number
  finish(result: StepResult): void
  /**
   * Events with a higher seq than `fromSeq`, then those to come, up to the result; a ping after 15 s of silence.
   * `guard` runs before each event and ends the stream by throwing. Many may follow, each at its own speed.
   */
  follow(fromSeq: number, guard: () => void): AsyncGenerator<StepEvent>
  close(): void
}

export type OperationOptions = {
  opId: string
  kind: string
  path: string
  clock: Clock
  logLimitBytes: number
  /** The events cannot be written any more; called once. */
  onWriteError: (error: Error) => void
}

/** One step: its numbered events live in a file, so they can be followed now, later and again. */
export const makeOperation = ({ opId, kind, path, clock, logLimitBytes, onWriteError }: OperationOptions): Operation => {
  const changes = makeChanges()
  /** Events that found no room on the disk; log bytes are not kept here. */
  const overflow: StepEvent[] = []
  let broken = false
  let seq = 0
  let done = false
  let logBytes = 0

  let file: EventFile | undefined

  const write = (event: StepEvent): void => {
    if (!broken) {
      try {
        file ??= openEventFile(path)
        file.append(event)
        return
      } catch (error) {
        broken = true
        onWriteError(error instanceof Error ? error : new Error(String(error)))
      }
    }
    overflow.push(event.event?.$case === 'log' ? { ...event, event: lostLog } : event)
  }

  const append = (event: StepEvent['event']): void => {
    // After a failed write the log is drained and dropped; the one notice in its place says so.
    if (broken && event?.$case === 'log') return
    seq += 1
    write({ opId, seq, atUnixMs: clock.now().getTime(), event })
    changes.notify()
  }

  const log = async (bytes: Buffer): Promise<void> => {
    if (bytes.length === 0 || logBytes >= logLimitBytes) return
    const kept = bytes.subarray(0, logLimitBytes - logBytes)
    const cut = kept.length === logLimitBytes - logBytes
    const offset = logBytes
    logBytes += kept.length
    for (let at = 0; at < kept.length; at += CHUNK_BYTES)
      append({ $case: 'log', value: { offset: offset + at, bytes: kept.subarray(at, at + CHUNK_BYTES) } })
    if (!cut) return
    const marker = Buffer.from(`\n[The log is cut here: this step wrote more than ${logLimitBytes} bytes.]\n`)
    append({ $case: 'log', value: { offset: logBytes, bytes: marker } })
    logBytes += marker.length
  }

  async function* follow(fromSeq: number, guard: () => void): AsyncGenerator<StepEvent> {
    guard()
    let seen = fromSeq
    let position = file?.positionOf(fromSeq) ?? 0
    let taken = 0
    for (;;) {
      const version = changes.version
      const ended = done
      if (file !== undefined) {
        const events = file.read(position)
        for (let next = events.next(); ; next = events.next()) {
          if (next.done === true) {
            position = next.value
            break
          }
          if (next.value.seq <= seen) continue
          guard()
          seen = next.value.seq
          yield next.value
        }
      }
      for (; taken < overflow.length; taken++) {
        const event = overflow[taken]
        if (event === undefined || event.seq <= seen) continue
        guard()
        seen = event.seq
        yield event
      }
      if (ended) return
      const quiet = !(await changes.after(version, PING_MS))
      guard()
      if (quiet) yield { opId, seq: 0, atUnixMs: clock.now().getTime(), event: { $case: 'ping', value: {} } }
    }
  }

  return {
    get state() {
      return { opId, kind, done, lastSeq: seq }
    },
    get logBytes() {
      return logBytes
    },
    output: {
      log,
      notice: (text) => append({ $case: 'notice', value: { text } }),
      progress: (value) => append({ $case: 'progress', value }),
    },
    finish(result) {
      append({ $case: 'result', value: { ...result, logBytes } })
      done = true
      changes.notify()
    },
    follow,
    close: () => file?.close(),
  }
}

const lostLog: StepEvent['event'] = { $case: 'notice', value: { text: 'From here on the log of this step could not be stored.' } }
