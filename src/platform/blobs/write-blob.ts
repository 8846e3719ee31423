import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { AppError } from '../errors.ts'
import { fsync } from '../sync-directory.ts'
import { HEADER_BYTES, makeSegmentCipher, SALT_BYTES, SEGMENT_BYTES } from './segments.ts'
import type { StoredBlob } from './store.ts'

/**
 * Writes the stream, encrypted, to the new file `file` and syncs it. A file that is left after an error is the caller's to remove. Only the sync
 * goes through the thread pool: the rest is done by the operating system in less time than the way there takes.
 */
export const writeBlob = async (
  storeKey: Buffer,
  file: string,
  source: AsyncIterable<Uint8Array>,
  { maxBytes }: { maxBytes: number },
): Promise<StoredBlob> => {
  const cipher = makeSegmentCipher(storeKey, randomBytes(SALT_BYTES))
  const sha256 = createHash('sha256')
  const md5 = createHash('md5')
  const segment = Buffer.allocUnsafe(SEGMENT_BYTES)
  let filled = 0
  let segments = 0
  let bytes = 0

  const descriptor = openSync(file, 'wx', 0o600)
  try {
    const flush = (): void => {
      const plain = segment.subarray(0, filled)
      sha256.update(plain)
      md5.update(plain)
      writeWhole(descriptor, cipher.encrypt(segments, plain))
      segments += 1
      filled = 0
    }
    writeWhole(descriptor, Buffer.alloc(HEADER_BYTES))
    for await (const chunk of source) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw new AppError('TOO_LARGE', `At most ${maxBytes} bytes are accepted.`)
      for (let at = 0; at < chunk.byteLength;) {
        const part = chunk.subarray(at, at + SEGMENT_BYTES - filled)
        segment.set(part, filled)
        filled += part.byteLength
        at += part.byteLength
        if (filled === SEGMENT_BYTES) flush()
      }
    }
    if (filled > 0) flush()
    const key = sha256.digest('hex')
    writeSync(descriptor, cipher.header(key, bytes), 0, HEADER_BYTES, 0)
    await fsync(descriptor)
    return { key, bytes, md5: md5.digest('hex') }
  } finally {
    closeSync(descriptor)
  }
}

const writeWhole = (descriptor: number, bytes: Buffer): void => {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
}
