import { closeSync, fsync as fsyncWithCallback, openSync } from 'node:fs'
import { promisify } from 'node:util'

/** Resolves when what was written to the open file survives a power cut. */
export const fsync = promisify(fsyncWithCallback)

/** Makes names that were added to the directory, or renamed in it, survive a power cut. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const descriptor = openSync(directory, 'r')
  try {
    await fsync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
