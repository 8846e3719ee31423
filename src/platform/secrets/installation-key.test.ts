import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deriveKey, loadInstallationKey } from './installation-key.ts'

let directory: string
let file: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'terrane-key-'))
  file = join(directory, 'data', 'installation.key')
})
afterEach(() => rm(directory, { recursive: true, force: true }))

describe('loadInstallationKey', () => {
  it('makes a key that only the owner can read, and reads it again', async () => {
    const made = await loadInstallationKey({ file })
    expect(made.bytes).toHaveLength(32)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await loadInstallationKey({ file })).toEqual(made)
    expect(await readdir(join(directory, 'data'))).toEqual(['installation.key'])
  })

  it('gives processes that start at once the same key', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => loadInstallationKey({ file })))
    expect(new Set(keys.map((key) => key.bytes.toString('hex'))).size).toBe(1)
    expect(await readdir(join(directory, 'data'))).toEqual(['installation.key'])
  })

  it.each([0o640, 0o604, 0o660])('refuses a file of mode %o and says what to do', async (mode) => {
    await loadInstallationKey({ file })
    await chmod(file, mode)
    await expect(loadInstallationKey({ file })).rejects.toThrow(`Run: chmod 600 ${file}`)
  })

  it.each(['short', Buffer.alloc(31).toString('base64'), `${'x'.repeat(43)}!`, ' '])(
    'refuses a file that holds %j, without showing it',
    async (text) => {
      await loadInstallationKey({ file })
      await writeFile(file, text)
      const error: unknown = await loadInstallationKey({ file }).catch((error: unknown) => error)
      expect(String(error)).toContain('does not hold an installation key')
      expect(String(error).replaceAll(' ', '')).not.toContain(text)
    },
  )

  it('takes the environment first and touches no file then', async () => {
    const text = Buffer.alloc(32, 7).toString('base64')
    expect((await loadInstallationKey({ file, env: text })).bytes).toEqual(Buffer.alloc(32, 7))
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(loadInstallationKey({ file, env: 'nonsense' })).rejects.toThrow('TERRANE_INSTALLATION_KEY')
  })

  it('derives another key for each purpose', async () => {
    const key = await loadInstallationKey({ file })
    expect(deriveKey(key, 'blobs')).toHaveLength(32)
    expect(deriveKey(key, 'blobs')).toEqual(deriveKey(key, 'blobs'))
    expect(deriveKey(key, 'blobs')).not.toEqual(deriveKey(key, 'envelope'))
  })
})
