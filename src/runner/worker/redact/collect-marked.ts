import { isMaskable } from '../mask/secret-forms.ts'
import type { Json } from './lossless-json.ts'
import { partOf } from './redact-value.ts'

/** Adds to `found` the strings of a value that its mask marks as sensitive; those too common to be told apart are left out. */
export const collectMarked = (value: Json, mask: Json | undefined, found: Set<string>): void => {
  if (typeof value === 'string') {
    if (mask === true && isMaskable(value)) found.add(value)
    return
  }
  if (mask === undefined || mask === false || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const [at, item] of value.entries()) collectMarked(item, mask === true || partOf(mask, at), found)
  else for (const [key, item] of Object.entries(value)) collectMarked(item, mask === true || partOf(mask, key), found)
}
