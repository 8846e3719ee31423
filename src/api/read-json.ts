import { AppError } from '../platform/errors.ts'

/** The part of a request a body reader needs; Hono's request has this shape. */
export type BodySource = {
  header(name: string): string | undefined
  text(): Promise<string>
  readonly raw: { readonly body: unknown }
}

export const JSON_BODY_MAX_BYTES = 10 * 1024 * 1024
const MAX_DEPTH = 100
/** PostgreSQL stores no such text; both databases refuse it here, alike. */
const ZERO_BYTE = /(?<!\\)(?:\\\\)*\\u0000/
const JSON_TYPES = new Set(['application/vnd.api+json', 'application/json', ''])

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The parsed body, or undefined when it is empty. Throws 400, 413 or 415. */
export const readJson = async (source: BodySource, maxBytes: number): Promise<unknown> => {
  const text = await readText(source, maxBytes)
  if (text.trim() === '') return undefined
  const mediaType = (source.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!JSON_TYPES.has(mediaType)) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Send the body as application/vnd.api+json, not as ${mediaType.slice(0, 100)}.`)
  }
  if (isDeeperThan(text, MAX_DEPTH)) throw new AppError('BAD_REQUEST', `The JSON is nested more than ${MAX_DEPTH} levels deep.`)
  if (ZERO_BYTE.test(text)) throw new AppError('INVALID', 'The body contains a zero byte (\\u0000), which no text may hold.')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('BAD_REQUEST', 'The body is not valid JSON.', { cause })
  }
}

const readText = async (source: BodySource, maxBytes: number): Promise<string> => {
  const announced = Number(source.header('content-length') ?? Number.NaN)
  if (announced > maxBytes) throw tooLarge(maxBytes)
  if (announced <= maxBytes) return source.text().catch(interrupted)
  const chunks: Uint8Array[] = []
  for await (const chunk of chunksOf(source.raw.body, maxBytes)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The chunks of a request body. Throws 413 past `maxBytes`, 400 when the client goes away. */
export const chunksOf = async function* (body: unknown, maxBytes: number): AsyncGenerator<Uint8Array> {
  let seen = 0
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      seen += chunk.byteLength
      if (seen > maxBytes) throw tooLarge(maxBytes)
      yield chunk
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    interrupted(error)
  }
}

export const tooLarge = (maxBytes: number) => new AppError('TOO_LARGE', `The body is larger than ${maxBytes} bytes.`)

const interrupted = (cause: unknown): never => {
  throw new AppError('BAD_REQUEST', 'The body ended early.', { cause })
}

/** Counts brackets outside strings; strings are skipped in one go, so large base64 members cost nothing. */
const isDeeperThan = (text: string, limit: number): boolean => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      at = closingQuote(text, at)
      if (at < 0) return false
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}

const closingQuote = (text: string, opening: number): number => {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return -1
}
