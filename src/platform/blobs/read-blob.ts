import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { AppError, notFound } from '../errors.ts'
import { whereItIs } from './blob-file.ts'
import { HEADER_BYTES, openHeader, plainBytesOf, SEGMENT_BYTES, segmentPlace } from './segments.ts'

/** After a MiB others have their turn. */
const SEGMENTS_A_TURN = 16

const damaged = (key: string, what: string): AppError =>
  new AppError('INTERNAL', 'A stored file is damaged. Restore it from a backup.', { internal: `blob ${key}: ${what}` })

const readAt = (descriptor: number, bytes: number, position: number): Buffer => {
  const buffer = Buffer.allocUnsafe(bytes)
  let filled = 0
  while (filled < bytes) {
    const bytesRead = readSync(descriptor, buffer, filled, bytes - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** Plain bytes [offset, offset + length) of the blob; decrypts only the segments they lie in. Throws NOT_FOUND. */
export async function* readBlob(
  storeKey: Buffer,
  directory: string,
  key: string,
  range: { offset: number; length: number },
): AsyncGenerator<Buffer, void, undefined> {
  const descriptor = whereItIs(directory, key, (file) => openSync(file, 'r'))
  if (descriptor === undefined) throw notFound()
  try {
    const plainBytes = plainBytesOf(fstatSync(descriptor).size)
    const cipher = openHeader(storeKey, readAt(descriptor, HEADER_BYTES, 0), key, plainBytes)
    if (cipher === undefined) throw damaged(key, 'cut, exchanged, or written with another key')
    const end = Math.min(range.offset + range.length, plainBytes)
    for (let at = range.offset; at < end;) {
      const index = Math.floor(at / SEGMENT_BYTES)
      const { position, storedBytes } = segmentPlace(index, plainBytes)
      const stored = readAt(descriptor, storedBytes, position)
      const first = index * SEGMENT_BYTES
      let plain: Buffer
      try {
        plain = cipher.decrypt(index, stored)
      } catch {
        throw damaged(key, `segment ${index} was changed`)
      }
      yield plain.subarray(at - first, end - first)
      at = first + plain.length
      if (index % SEGMENTS_A_TURN === SEGMENTS_A_TURN - 1) await setImmediate()
    }
  } finally {
    closeSync(descriptor)
  }
}
