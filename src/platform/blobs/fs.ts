import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorMessage, notFound } from '../errors.ts'
import { newUuid } from '../ids.ts'
import type { Log } from '../log.ts'
import { syncDirectory } from '../sync-directory.ts'
import { blobFile, isBlobKey, whereItIs } from './blob-file.ts'
import { readBlob } from './read-blob.ts'
import { plainBytesOf } from './segments.ts'
import type { BlobStore } from './store.ts'
import { writeBlob } from './write-blob.ts'

/** An upload that wrote nothing for so long is dead; another process may own the younger ones. */
const STALE_MS = 3_600_000

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error
}

type Options = {
  /** Made when missing. Several processes may share it. */
  directory: string
  /** 32 bytes that encrypt this store, from `deriveKey(installationKey, 'blobs')`. */
  key: Buffer
  log: Log
}

/**
 * Blob store in a directory: `ab/cd/<sha256>`, form of a file in segments.ts. Only the sweep removes blobs, see sweep-blobs.ts: one may belong
 * to several rows.
 */
export const makeFsBlobStore = ({ directory, key: storeKey, log }: Options): BlobStore => {
  const uploads = join(directory, 'uploads')
  let sweptAt = -Infinity
  mkdirSync(uploads, { recursive: true, mode: 0o700 })

  const isStored = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined

  const sweep = async (): Promise<void> => {
    for (const name of await readdir(uploads)) {
      const info = await stat(join(uploads, name)).catch(ignoreMissing)
      if (info !== undefined && Date.now() - info.mtimeMs > STALE_MS) await rm(join(uploads, name), { force: true })
    }
  }

  /** Removes what killed processes left: at the start, then once in STALE_MS. */
  const sweepNowAndThen = (): void => {
    if (Date.now() - sweptAt < STALE_MS) return
    sweptAt = Date.now()
    sweep().catch((error: unknown) => log.warn({ error: errorMessage(error) }, 'old uploads could not be removed'))
  }

  const moveIn = async (temporary: string, file: string): Promise<void> => {
    const folder = dirname(file)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isStored(file)) renameSync(temporary, file)
    // also when it was there already: the put that wrote it may not have come so far yet
    await Promise.all([folder, dirname(folder), directory].map(syncDirectory))
  }

  sweepNowAndThen()

  const get: BlobStore['get'] = (key, range = { offset: 0, length: Infinity }) => readBlob(storeKey, directory, key, range)

  const size = async (key: string): Promise<number> => {
    const info = whereItIs(directory, key, (file) => statSync(file))
    if (info === undefined) throw notFound()
    return plainBytesOf(info.size)
  }

  return {
    put: async (source, options) => {
      sweepNowAndThen()
      const temporary = join(uploads, newUuid())
      try {
        const stored = await writeBlob(storeKey, temporary, source, options)
        await moveIn(temporary, blobFile(directory, stored.key))
        return stored
      } finally {
        rmSync(temporary, { force: true })
      }
    },
    get,
    read: async (key) => {
      const whole = Buffer.allocUnsafe(await size(key))
      let filled = 0
      for await (const chunk of get(key)) filled += chunk.copy(whole, filled)
      return whole
    },
    has: async (key) => isBlobKey(key) && whereItIs(directory, key, (file) => statSync(file)) !== undefined,
    size,
  }
}
