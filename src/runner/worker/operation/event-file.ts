import { open } from 'node:fs/promises'
import { StepEvent } from '../../gen/runner/v1/runner.ts'

const HEADER_BYTES = 4
const READ_BYTES = 256 * 1024
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

  async function* read(from: number): AsyncGenerator<StepEvent, number> {
    let position = from
    let buffered: Buffer = Buffer.alloc(0)
    for (const end = committed; position < end;) {
      const wanted = buffered.length < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + buffered.readUInt32BE()
      if (buffered.length < wanted) {
        const at = position + buffered.length
        const more = Buffer.alloc(Math.min(Math.max(READ_BYTES, wanted - buffered.length), end - at))
        const { bytesRead } = await handle.read(more, 0, more.length, at)
        if (bytesRead === 0) throw new Error('the event file is shorter than what was written to it')
        buffered = Buffer.concat([buffered, more.subarray(0, bytesRead)])
        continue
      }
      const event = StepEvent.decode(buffered.subarray(HEADER_BYTES, wanted))
      buffered = buffered.subarray(wanted)
      position += wanted
      yield event
    }
    return position
  }

  return {
    get committed() {
      return committed
    },
    append,
    read,
    positionOf: (fromSeq) => marks[Math.min(Math.floor(Math.max(0, fromSeq) / MARK_EVERY), marks.length - 1)] ?? 0,
    close: async () => handle.close(),
  }
}
