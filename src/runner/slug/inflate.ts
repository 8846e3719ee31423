import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { RATIO_FREE_BYTES, type SlugLimits } from './limits.ts'
import { badSlug, slugTooLarge } from './refuse.ts'

/**
 * Unpacks gzip, several members allowed. Throws RunnerError `BAD_SLUG` for what is not gzip, is cut or has bytes after
 * its end, and `SLUG_TOO_LARGE` as soon as a limit is crossed. Errors of `source` itself pass through.
 */
export async function* inflate(source: AsyncIterable<Uint8Array>, limits: SlugLimits): AsyncGenerator<Buffer> {
  let compressed = 0
  let sourceError: unknown
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of source) {
        compressed += chunk.length
        if (compressed > limits.compressedBytes) throw slugTooLarge(`is larger than ${limits.compressedBytes} bytes`)
        yield chunk
      }
    } catch (error) {
      sourceError = error
      throw error
    }
  }
  const gunzip = createGunzip({ chunkSize: 64 * 1024 })
  const feeding = pipeline(Readable.from(counted(), { objectMode: true }), gunzip).catch(() => undefined)
  let unpacked = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      unpacked += chunk.length
      if (unpacked > limits.unpackedBytes) throw slugTooLarge(`unpacks to more than ${limits.unpackedBytes} bytes`)
      if (unpacked > RATIO_FREE_BYTES && unpacked > limits.ratio * gunzip.bytesWritten)
        throw slugTooLarge(`unpacks to more than ${limits.ratio} times its size`)
      yield chunk
    }
  } catch (error) {
    if (sourceError !== undefined) throw sourceError
    throw isZlibError(error) ? badSlug(`is not a complete gzip file (${error.message})`) : error
  } finally {
    gunzip.destroy()
    await feeding
  }
  if (gunzip.bytesWritten !== compressed) throw badSlug('has bytes after the end of its gzip data')
}

const isZlibError = (error: unknown): error is Error =>
  error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('Z_')
