import { join } from 'node:path'
import { notFound } from '../errors.ts'

export const isBlobKey = (key: string): boolean => /^[0-9a-f]{64}$/.test(key)

/** `ab/cd/<key>` below `directory`. Throws NOT_FOUND for what is no key, which is also what keeps `..` and `/` out of paths. */
export const blobFile = (directory: string, key: string): string => {
  if (!isBlobKey(key)) throw notFound()
  return join(directory, key.slice(0, 2), key.slice(2, 4), key)
}

/** Where the sweep puts what nothing refers to. */
export const trashOf = (directory: string): string => join(directory, 'trash')

/**
 * Calls `use` with each place where the blob may be until one is not ENOENT; undefined when all are. Its own place comes twice: the sweep
 * may have moved it back meanwhile.
 */
export const whereItIs = <T>(directory: string, key: string, use: (file: string) => T): T | undefined => {
  const own = blobFile(directory, key)
  for (const file of [own, join(trashOf(directory), key), own]) {
    try {
      return use(file)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  return undefined
}

export const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
