import { open, type FileHandle } from 'node:fs/promises'
import { AppError, notFound } from '../errors.ts'
import { whereItIs } from './blob-file.ts'
import { HEADER_BYTES, openHeader, plainBytesOf, SEGMENT_BYTES, segmentPlace } from './segments.ts'

const damaged = (key: string, what: string): AppError =>
  new AppError('INTERNAL', 'A stored file is damaged. Restore it from a backup.', { internal: `blob ${key}: ${what}` })

const readAt = async (handle: FileHandle, bytes: number, position: number): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(bytes)
  let filled = 0
  while (filled < bytes) {
    const { bytesRead } = await handle.read(buffer, filled, bytes - filled, position + filled)
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
  const handle = await whereItIs(directory, key, (file) => open(file, 'r'))
  if (handle === undefined) throw notFound()
  try {
    const plainBytes = plainBytesOf((await handle.stat()).size)
    const cipher = openHeader(storeKey, await readAt(handle, HEADER_BYTES, 0), key, plainBytes)
    if (cipher === undefined) throw damaged(key, 'cut, exchanged, or written with another key')
    const end = Math.min(range.offset + range.length, plainBytes)
    for (let at = range.offset; at < end;) {
      const index = Math.floor(at / SEGMENT_BYTES)
      const { position, storedBytes } = segmentPlace(index, plainBytes)
      const stored = await readAt(handle, storedBytes, position)
      const first = index * SEGMENT_BYTES
      let plain: Buffer
      try {
        plain = cipher.decrypt(index, stored)
      } catch {
        throw damaged(key, `segment ${index} was changed`)
      }
      yield plain.subarray(at - first, end - first)
      at = first + plain.length
    }
  } finally {
    await handle.close()
  }
}
