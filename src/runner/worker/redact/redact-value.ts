import { isDeepStrictEqual } from 'node:util'
import type { Json } from './lossless-json.ts'

const REDACTED = 'REDACTED'
/** Stands where the value differs from the one before, so that a reader still sees a change. */
const CHANGED = 'REDACTED (changed)'

/**
 * Replaces what `mask` marks as sensitive: `true` for the whole, or an object or array of masks for the parts. `before` is
 * the earlier value in the same place, if there is one. Other strings go through `hide`. Null stays, and so does the
 * kind of a composite, because readers tell creation, change and deletion by them.
 */
export const redactValue = (value: Json, mask: Json | undefined, hide: (text: string) => string, before?: Json): Json => {
  if (mask === true)
    return placeholder(value, before === undefined || before === null || isDeepStrictEqual(value, before) ? REDACTED : CHANGED)
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((item, at) => redactValue(item, partOf(mask, at), hide, partOf(before, at)))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, redactValue(item, partOf(mask, key), hide, partOf(before, key))]),
  )
}

const placeholder = (value: Json, token: string): Json => {
  if (value === null) return null
  if (Array.isArray(value)) return value.length === 0 ? [] : [token]
  return typeof value === 'object' ? { sensitive: token } : token
}

const partOf = (whole: Json | undefined, key: string | number): Json | undefined => {
  if (Array.isArray(whole)) return typeof key === 'number' ? whole[key] : undefined
  return typeof whole === 'object' && whole !== null && Object.hasOwn(whole, key) ? whole[String(key)] : undefined
}
