import { gzip } from 'node:zlib'
import { promisify } from 'node:util'
import type { Headers } from './send.ts'

const zip = promisify(gzip)
/** Single resources are shorter: what clients poll is not worth the work. */
const MIN_LENGTH = 8192
/** The fastest; the higher levels gain little more. */
const LEVEL = 1

/** Whether the client says that it takes gzip; `gzip;q=0` says that it does not. */
const acceptsGzip = (accepted: string | undefined): boolean => {
  const wish = accepted?.split(',').map((part) => part.trim().toLowerCase()) ?? []
  return wish.some((part) => /^(gzip|\*)(;|$)/.test(part) && !/;\s*q=0(\.0*)?$/.test(part))
}

/** The body of a JSON answer as the client takes it, with the headers that say so. */
export const compress = async (
  text: string,
  accepted: string | undefined,
): Promise<{ body: string | Uint8Array<ArrayBuffer>; headers: Headers }> => {
  if (text.length < MIN_LENGTH) return { body: text, headers: {} }
  if (!acceptsGzip(accepted)) return { body: text, headers: { vary: 'accept-encoding' } }
  const body = new Uint8Array(await zip(text, { level: LEVEL }))
  return { body, headers: { 'content-encoding': 'gzip', vary: 'accept-encoding', 'content-length': String(body.byteLength) } }
}
