import { closeSync, constants, fchmodSync, fchownSync, openSync, writeFileSync } from 'node:fs'
import type { Isolation } from '../options.ts'

/**
 * Writes a new small file for the job user; an existing one, or a link in its place, makes it fail with `EEXIST`. In one go: a run waits
 * for it, and every way through the thread pool takes longer than the call itself.
 */
export const writeJobFile = async (path: string, text: string, mode: number, isolation: Isolation | undefined): Promise<void> => {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    writeFileSync(file, text)
    fchmodSync(file, mode)
    if (isolation !== undefined) fchownSync(file, isolation.uid, isolation.gid)
  } finally {
    closeSync(file)
  }
}
