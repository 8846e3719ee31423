import { isDeepStrictEqual } from 'node:util'
import type { Json } from './lossless-json.ts'

const REDACTED = 'REDACTED'
/** Stands where the value differs from the one before, so that a reader still sees a change. */
const CHANGED = 'REDACTED (changed)'

export type Redactor = {
  /** For strings that no mask covers. */
  hide(text: string): string
  /** True for a string that is marked as sensitive elsewhere: providers copy values without their marks. */
  isSecret(text: string): boolean
}

/**
 * Replaces what `mask` marks as sensitive: `true` for the whole, or an object or array of masks for the parts. `before` is
 * the earlier value in the same place, if there is one. Null stays, and so does the kind of a composite, because readers
 * tell creation, change and deletion by them.
 */
export const redactValue = (value: Json, mask: Json | undefined, redactor: Redactor, before?: Json): Json => {
  if (mask === true || (typeof value === 'string' && redactor.isSecret(value)))
    return placeholder(value, before === undefined || before === null || isDeepStrictEqual(value, before) ? REDACTED : CHANGED)
  if (typeof value === 'string') return redactor.hide(value)
  if (Array.isArray(value)) return value.map((item, at) => redactValue(item, partOf(mask, at), redactor, partOf(before, at)))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, redactValue(item, partOf(mask, key), redactor, partOf(before, key))]),
  )
}

const placeholder = (value: Json, token: string): Json => {
  if (value === null) return null
  if (Array.isArray(value)) return value.length === 0 ? [] : [token]
  return typeof value === 'object' ? { sensitive: token } : token
}

/** The part of a value, or of its mask, in the same place. */
export const partOf = (whole: Json | undefined, key: string | number): Json | undefined => {
  if (Array.isArray(whole)) return typeof key === 'number' ? whole[key] : undefined
  return typeof whole === 'object' && whole !== null && Object.hasOwn(whole, key) ? whole[String(key)] : undefined
}
