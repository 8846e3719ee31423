import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from './sync-directory.ts'

/** Puts `text` in the place of `file`, whole or not at all, with exactly `mode`, and on disk when it returns. The directory must exist. */
export const writeWholeFile = async (file: string, text: string, mode: number): Promise<void> => {
  const partial = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(partial, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.chmod(mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(partial, file)
  } finally {
    await rm(partial, { force: true })
  }
  await syncDirectory(dirname(file))
}
