import { createHash, randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

export type StoredFile = { path: string; bytes: number; sha256: string }

export type FileWriter = {
  readonly bytes: number
  write(bytes: Uint8Array): Promise<void>
  /** Puts the file in place. Nothing waits for the disk: a power cut ends the phase, and of its files only the journal of states counts then. */
  commit(): Promise<StoredFile>
  /** Removes what was written; does nothing after `commit`. */
  abort(): Promise<void>
}

/** Writes a file beside its place, with a running digest, and moves it there when it is whole. */
export const makeFileWriter = async (path: string): Promise<FileWriter> => {
  const partial = `${path}.${randomUUID()}`
  const handle = await open(partial, 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await handle.close()
    isOpen = false
  }
  return {
    get bytes() {
      return bytes
    },
    async write(chunk) {
      for (let at = 0; at < chunk.length;) at += (await handle.write(chunk, at)).bytesWritten
      hash.update(chunk)
      bytes += chunk.length
    },
    async commit() {
      await close()
      await rename(partial, path)
      return { path, bytes, sha256: hash.digest('hex') }
    },
    async abort() {
      if (!isOpen) return
      await close()
      await rm(partial, { force: true })
    },
  }
}
