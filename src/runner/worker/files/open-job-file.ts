import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import type { Isolation } from '../options.ts'

/**
 * Opens for reading a file that the job user may have put there; the descriptor is the caller's to close. Undefined when it is absent, a
 * link, no plain file, or owned by somebody else: the worker may be root and must not lend its eyes to the job.
 */
export const openJobFile = (path: string, isolation: Isolation | undefined): number | undefined => {
  // Without O_NONBLOCK a FIFO would hang us.
  const file = openIfThere(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  if (file === undefined) return undefined
  const stats = fstatSync(file)
  if (stats.isFile() && (isolation === undefined || stats.uid === isolation.uid)) return file
  closeSync(file)
  return undefined
}

const openIfThere = (path: string, flags: number): number | undefined => {
  try {
    return openSync(path, flags)
  } catch {
    return undefined
  }
}
