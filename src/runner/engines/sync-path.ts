import { open } from 'node:fs/promises'

/** Flushes a file or directory to disk. */
export const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
