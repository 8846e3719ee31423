import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWholeFile } from '../../platform/write-whole-file.ts'
import type { ServerFiles } from '../server-files.ts'

/** The file that terraform merges with the user's own; see product of `terrane env --install`. */
export const installedFile = (home: string): string => join(home, '.terraform.d/terrane.tfrc')

/** Writes it and answers its path. */
export const installConfig = async (files: ServerFiles, home: string): Promise<string> => {
  const file = installedFile(home)
  await mkdir(join(home, '.terraform.d'), { recursive: true, mode: 0o700 })
  await writeWholeFile(file, files.terraformRc, 0o600)
  return file
}

/** Undoes installConfig; false when there was nothing. */
export const removeConfig = async (home: string): Promise<boolean> => {
  const file = installedFile(home)
  const isThere = await stat(file).then(
    () => true,
    () => false,
  )
  await rm(file, { force: true })
  return isThere
}
