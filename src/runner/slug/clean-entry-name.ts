import { badSlug } from './refuse.ts'

const MAX_PATH_BYTES = 1024
const MAX_NAME_BYTES = 255
const MAX_DEPTH = 64

/**
 * The name of an entry below the root of the archive, `/`-separated, without `.` and empty parts; empty for the root
 * itself. Leading slashes are dropped, as go-slug does. Throws RunnerError `BAD_SLUG` for names that could leave the
 * root or mean something else on another system.
 */
export const cleanEntryName = (raw: string): string => {
  if (hasControlCharacter(raw)) throw badSlug('has a control character in its name', raw)
  if (raw.includes('\ufffd')) throw badSlug('has a name that is not UTF-8', raw)
  if (raw.includes('\\')) throw badSlug('has a backslash in its name', raw)
  if (/^\/*[A-Za-z]:/.test(raw)) throw badSlug('has a drive letter in its name', raw)
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw badSlug('has ".." in its name', raw)
  if (parts.length > MAX_DEPTH) throw badSlug(`is more than ${MAX_DEPTH} directories deep`, raw)
  if (parts.some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES))
    throw badSlug(`has a part of more than ${MAX_NAME_BYTES} bytes in its name`, raw)
  const name = parts.join('/')
  if (Buffer.byteLength(name) > MAX_PATH_BYTES) throw badSlug(`has a name of more than ${MAX_PATH_BYTES} bytes`, raw)
  return name
}

const hasControlCharacter = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}
