import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import { AppError, notFound } from '../platform/errors.ts'

export type SignedParams = { id: string; expires: string; signature: string }

/** Endpoint path of a kind of signed URL. */
export const signedPath = <const Kind extends string>(kind: Kind) => `/_objects/${kind}/:id/:expires/:signature` as const

export type SignedUrls = ReturnType<typeof makeSignedUrls>

/**
 * URLs that are their own permission. Kind, id, expiry and an HMAC-SHA256 are path segments; the query is not signed, since clients
 * replace that of a log URL on every read. Anyone who has the URL may use it: keep it out of logs.
 */
export const makeSignedUrls = ({ key, publicUrl, clock }: { key: Buffer; publicUrl: string; clock: Clock }) => {
  const base = publicUrl.replace(/\/+$/, '')
  const signature = (kind: string, id: string, expires: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([kind, id, expires]))
      .digest('base64url')

  return {
    /** Absolute URL, valid for `ttlMs`. */
    sign: (kind: string, id: string, ttlMs: number): string => {
      const expires = (clock.now().getTime() + ttlMs).toString(36)
      return `${base}/_objects/${kind}/${encodeURIComponent(id)}/${expires}/${signature(kind, id, expires)}`
    },

    /** The id that was signed. Throws NOT_FOUND when anything was changed, GONE when it is too late. */
    verify: (kind: string, { id, expires, signature: given }: SignedParams): string => {
      const expected = Buffer.from(signature(kind, id, expires))
      const actual = Buffer.from(given)
      if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) throw notFound()
      if (Number.parseInt(expires, 36) <= clock.now().getTime()) throw new AppError('GONE', 'The link has expired. Ask for a new one.')
      return id
    },
  }
}
