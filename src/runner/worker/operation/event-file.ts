import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { StepEvent } from '../../gen/runner/v1/runner.ts'
import { HEADER_BYTES, type ReadAt, readEvents } from './read-events.ts'

/** One remembered position for so many events, so that a late reader need not read from the start. */
const MARK_EVERY = 256

export type EventFile = {
  /** Bytes that readers may see. */
  readonly committed: number
  append(event: StepEvent): void
  /** Events from about `fromSeq`, never later than it, up to what is committed now; answers where to go on. */
  read(position: number): Generator<StepEvent, number>
  positionOf(fromSeq: number): number
  close(): void
}

/**
 * The events of one step on disk: frames of a 32-bit length and a protobuf StepEvent. Memory does not grow with the log.
 * Errors of the file system pass through; what was appended before one stays readable.
 */
export const openEventFile = (path: string): EventFile => {
  const file = openSync(path, 'wx+', 0o600)
  const marks = [0]
  let committed = 0
  let events = 0
  let isOpen = true

  const append = (event: StepEvent): void => {
    const body = StepEvent.encode(event).finish()
    const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length)
    frame.writeUInt32BE(body.length)
    frame.set(body, HEADER_BYTES)
    for (let at = 0; at < frame.length;) at += writeSync(file, frame, at, frame.length - at, committed + at)
    committed += frame.length
    events += 1
    if (events % MARK_EVERY === 0) marks.push(committed)
  }

  /** The number of a closed file soon stands for another one. */
  const readAt: ReadAt = (bytes, position) => {
    if (!isOpen) throw new Error('the event file is closed')
    return readSync(file, bytes, 0, bytes.length, position)
  }

  return {
    get committed() {
      return committed
    },
    append,
    read: (position) => readEvents(readAt, position, committed),
    positionOf: (fromSeq) => marks[Math.min(Math.floor(Math.max(0, fromSeq) / MARK_EVERY), marks.length - 1)] ?? 0,
    close: () => {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}
