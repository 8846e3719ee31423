import { open } from 'node:fs/promises'

/** Makes names that were added to the directory, or renamed in it, survive a power cut. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
