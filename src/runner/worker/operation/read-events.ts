import { StepEvent } from '../../gen/runner/v1/runner.ts'

export const HEADER_BYTES = 4
const READ_BYTES = 256 * 1024

/** Reads into `bytes` what the file holds from `position` on; answers how many. */
export type ReadAt = (bytes: Buffer, position: number) => number

/** Events of an event file from one frame's begin to `end`; answers where it stopped: there, or before a frame that is not whole. */
export const readEvents = function* (read: ReadAt, from: number, end: number): Generator<StepEvent, number> {
  let position = from
  let buffered: Buffer = Buffer.alloc(0)
  while (position < end) {
    const wanted = buffered.length < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + buffered.readUInt32BE()
    if (buffered.length < wanted) {
      const at = position + buffered.length
      if (position + wanted > end) return position
      const more = Buffer.alloc(Math.min(Math.max(READ_BYTES, wanted - buffered.length), end - at))
      const bytesRead = read(more, at)
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
