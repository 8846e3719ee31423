import { open } from 'node:fs/promises'
import { StepEvent } from '../../gen/runner/v1/runner.ts'
import { HEADER_BYTES, readEvents } from './read-events.ts'

/** One remembered position for so many events, so that a late reader need not read from the start. */
const MARK_EVERY = 256

export type EventFile = {
  /** Bytes that readers may see. */
  readonly committed: number
  append(event: StepEvent): Promise<void>
  /** Events from about `fromSeq`, never later than it, up to what is committed now; answers where to go on. */
  read(position: number): AsyncGenerator<StepEvent, number>
  positionOf(fromSeq: number): number
  close(): Promise<void>
}

/**
 * The events of one step on disk: frames of a 32-bit length and a protobuf StepEvent. Memory does not grow with the log.
 * Errors of the file system pass through; what was appended before one stays readable.
 */
export const openEventFile = async (path: string): Promise<EventFile> => {
  const handle = await open(path, 'wx+', 0o600)
  const marks = [0]
  let committed = 0
  let events = 0

  const append = async (event: StepEvent): Promise<void> => {
    const body = StepEvent.encode(event).finish()
    const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length)
    frame.writeUInt32BE(body.length)
    frame.set(body, HEADER_BYTES)
    for (let at = 0; at < frame.length;) at += (await handle.write(frame, at, frame.length - at, committed + at)).bytesWritten
    committed += frame.length
    events += 1
    if (events % MARK_EVERY === 0) marks.push(committed)
  }

  return {
    get committed() {
      return committed
    },
    append,
    read: (position) => readEvents(handle, position, committed),
    positionOf: (fromSeq) => marks[Math.min(Math.floor(Math.max(0, fromSeq) / MARK_EVERY), marks.length - 1)] ?? 0,
    close: async () => handle.close(),
  }
}
