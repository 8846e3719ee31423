import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import type { Clock } from '../../platform/clock.ts'
import { failureReason } from './engine-errors.ts'
import type { ReleasePlatform } from './release-platform.ts'

type Deps = { url: string; platform: ReleasePlatform; clock: Clock; fetch: typeof globalThis.fetch }

/** `versions` is empty with `failure` set when the index could not be read. */
export type ReleaseIndex = { versions: string[]; failure?: string }

export type ReleaseMirror = ReturnType<typeof makeReleaseMirror>

const indexSchema = z.object({
  versions: z.record(z.string(), z.object({ builds: z.array(z.object({ os: z.string(), arch: z.string() })) })),
})
const indexMaxBytes = 64 * 1024 * 1024
const indexTimeoutMs = 8_000
const indexFreshMs = 60 * 60_000
/** A mirror behind a firewall that drops packets must not cost each API call the whole time-out. */
const failureFreshMs = 60_000
const fileTimeoutMs = 10 * 60_000

/**
 * Reads a mirror laid out as releases.hashicorp.com. User and password in the URL are sent as basic authentication and appear in no message.
 */
export const makeReleaseMirror = ({ url, platform, clock, fetch }: Deps) => {
  const base = new URL(url.endsWith('/') ? url : `${url}/`)
  const { username, password } = base
  base.username = ''
  base.password = ''
  const secret = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const headers: Record<string, string> = username === '' ? {} : { authorization: `Basic ${secret}` }
  let known: { index: ReleaseIndex; expiresMs: number } | undefined
  let reading: Promise<ReleaseIndex> | undefined

  const open = async (path: string, timeoutMs: number): Promise<Readable> => {
    const response = await fetch(new URL(path, base), { headers, signal: AbortSignal.timeout(timeoutMs) })
    if (response.status === 404) throw new Error(`the mirror has no ${path} (HTTP 404)`)
    if (!response.ok || response.body === null) throw new Error(`the mirror answered HTTP ${response.status} for ${path}`)
    return Readable.fromWeb(response.body)
  }

  const read = async (path: string, maxBytes: number, timeoutMs = fileTimeoutMs): Promise<Buffer> => {
    const parts: Buffer[] = []
    for await (const part of (await open(path, timeoutMs)).pipe(limit(path, maxBytes))) parts.push(Buffer.from(part as Uint8Array))
    return Buffer.concat(parts)
  }

  const readIndex = async (): Promise<ReleaseIndex> => {
    try {
      const { versions } = indexSchema.parse(JSON.parse((await read('terraform/index.json', indexMaxBytes, indexTimeoutMs)).toString()))
      const offered = Object.entries(versions).filter(([, { builds }]) =>
        builds.some(({ os, arch }) => os === platform.os && arch === platform.arch),
      )
      return { versions: offered.map(([version]) => version) }
    } catch (error) {
      const isFormat = error instanceof SyntaxError || error instanceof z.ZodError
      return { versions: known?.index.versions ?? [], failure: isFormat ? 'its index.json is no release index' : failureReason(error) }
    }
  }

  return {
    url: base.href,
    read,

    /** What the mirror offers for this platform, at most an hour old. Never throws. */
    index: async (): Promise<ReleaseIndex> => {
      if (known !== undefined && clock.monotonicMs() < known.expiresMs) return known.index
      reading ??= readIndex().finally(() => {
        reading = undefined
      })
      const index = await reading
      known = { index, expiresMs: clock.monotonicMs() + (index.failure === undefined ? indexFreshMs : failureFreshMs) }
      return index
    },

    /** Streams one file to disk. Throws Error with a reason for users. */
    save: async (path: string, file: string, maxBytes: number): Promise<void> => {
      await pipeline(await open(path, fileTimeoutMs), limit(path, maxBytes), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
    },
  }
}

const limit = (path: string, maxBytes: number): Transform => {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) done(new Error(`${path} is larger than ${maxBytes} bytes`))
      else done(null, chunk)
    },
  })
}
