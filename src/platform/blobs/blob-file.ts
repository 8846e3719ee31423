import { join } from 'node:path'
import { notFound } from '../errors.ts'

export const isBlobKey = (key: string): boolean => /^[0-9a-f]{64}$/.test(key)

/** `ab/cd/<key>` below `directory`. Throws NOT_FOUND for what is no key, which is also what keeps `..` and `/` out of paths. */
export const blobFile = (directory: string, key: string): string => {
  if (!isBlobKey(key)) throw notFound()
  return join(directory, key.slice(0, 2), key.slice(2, 4), key)
}
