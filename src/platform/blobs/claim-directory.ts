import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Whether the directory of blobs belongs to this installation; the first one to ask gets it. A server with another database must not sweep:
 * to it all blobs look unused.
 */
export const claimDirectory = async (directory: string, installationId: string): Promise<boolean> => {
  const file = join(directory, 'installation')
  await writeFile(file, `${installationId}\n`, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return (await readFile(file, 'utf8')).trim() === installationId
}
