import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from '../sync-directory.ts'

/** The one secret that opens all others. `id` tells keys apart without saying anything about them. */
export type InstallationKey = { id: Buffer; bytes: Buffer }

const KEY_BYTES = 32
const ID_BYTES = 8

/** 32 bytes for one purpose (`blobs`, `envelope`), so that no two uses share a key. */
export const deriveKey = (key: InstallationKey, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key.bytes, Buffer.alloc(0), `terrane/${purpose}`, KEY_BYTES))

/** `place` names the source in error texts. */
export const parseInstallationKey = (text: string, place: string): InstallationKey => {
  const bytes = Buffer.from(text.trim(), 'base64')
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== text.trim()) {
    throw new Error(`${place} does not hold an installation key: 32 bytes in base64 are expected (openssl rand -base64 32).`)
  }
  return { id: createHmac('sha256', bytes).update('terrane/key-id').digest().subarray(0, ID_BYTES), bytes }
}

const readKey = async (file: string): Promise<InstallationKey | undefined> => {
  const info = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (info === undefined) return undefined
  if ((info.mode & 0o077) !== 0) throw new Error(`${file} can be read by other users of this machine. Run: chmod 600 ${file}`)
  return parseInstallationKey(await readFile(file, 'utf8'), file)
}

/** A file that appears whole or not at all, and never replaces another: two processes that start at once end with one key. */
const createKey = async (file: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(temporary, { force: true })
  }
  await syncDirectory(dirname(file))
}

/**
 * The installation key: `env` (the value of TERRANE_INSTALLATION_KEY, base64 of 32 bytes) where given, else `file`, which is made on
 * the first start with mode 0600. Throws an Error for the operator when the key is ill-formed or readable by others.
 */
export const loadInstallationKey = async ({ file, env }: { file: string; env?: string | undefined }): Promise<InstallationKey> => {
  if (env !== undefined && env !== '') return parseInstallationKey(env, 'TERRANE_INSTALLATION_KEY')
  const existing = await readKey(file)
  if (existing !== undefined) return existing
  await createKey(file)
  const created = await readKey(file)
  if (created === undefined) throw new Error(`${file} vanished while the server was starting. Start it again.`)
  return created
}
