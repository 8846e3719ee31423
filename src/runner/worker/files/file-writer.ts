import { createHash, randomUUID } from 'node:crypto'
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'

export type StoredFile = { path: string; bytes: number; sha256: string }

export type FileWriter = {
  readonly bytes: number
  /** A chunk of moderate size: it is written at once. */
  write(chunk: Uint8Array): Promise<void>
  /** Puts the file in place. Nothing waits for the disk: a power cut ends the phase, and of its files only the journal of states counts then. */
  commit(): Promise<StoredFile>
  /** Removes what was written; does nothing after `commit`. */
  abort(): Promise<void>
}

/** Writes a file beside its place, with a running digest, and moves it there when it is whole. */
export const makeFileWriter = async (path: string): Promise<FileWriter> => {
  const partial = `${path}.${randomUUID()}`
  const file = openSync(partial, 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  let isOpen = true
  const close = (): void => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  return {
    get bytes() {
      return bytes
    },
    async write(chunk) {
      for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at)
      hash.update(chunk)
      bytes += chunk.length
    },
    async commit() {
      close()
      renameSync(partial, path)
      return { path, bytes, sha256: hash.digest('hex') }
    },
    async abort() {
      if (!isOpen) return
      close()
      rmSync(partial, { force: true })
    },
  }
}
