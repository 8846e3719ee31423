import { chmod, lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes a tree, also one with directories that nobody may write to. Links are removed, never followed. Absent: nothing happens. */
export const removeRunDirectory = async (root: string): Promise<void> => {
  await unlock(root)
  await rm(root, { recursive: true, force: true })
}

const unlock = async (path: string): Promise<void> => {
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isDirectory() !== true) return
  if ((stats.mode & 0o700) !== 0o700) await chmod(path, 0o700)
  for (const entry of await readdir(path, { withFileTypes: true })) if (entry.isDirectory()) await unlock(join(path, entry.name))
}
