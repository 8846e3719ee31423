import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Isolation } from '../options.ts'

/** Writes a new file for the job user; an existing one, or a link in its place, makes it fail with `EEXIST`. */
export const writeJobFile = async (path: string, text: string, mode: number, isolation: Isolation | undefined): Promise<void> => {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(text)
    await handle.chmod(mode)
    if (isolation !== undefined) await handle.chown(isolation.uid, isolation.gid)
  } finally {
    await handle.close()
  }
}
