import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export type LocalRunDirectory = { runId: string; runDirectory: string }

/** Directories of runs below `workRoot`, which need not exist. */
export const listRunDirectories = async (workRoot: string): Promise<LocalRunDirectory[]> => {
  const names = await readdir(workRoot).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.map((runId) => ({ runId, runDirectory: join(workRoot, runId) }))
}
