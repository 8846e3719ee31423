import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Isolation } from '../options.ts'

/**
 * Opens for reading a file that the job user may have put there. Undefined when it is absent, a link, no plain file, or
 * owned by somebody else: the worker may be root and must not lend its eyes to the job.
 */
export const openJobFile = async (path: string, isolation: Isolation | undefined): Promise<FileHandle | undefined> => {
  // Without O_NONBLOCK a FIFO would hang us.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined)
  if (handle === undefined) return undefined
  const stats = await handle.stat()
  if (stats.isFile() && (isolation === undefined || stats.uid === isolation.uid)) return handle
  await handle.close()
  return undefined
}
