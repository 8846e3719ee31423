import { mkdir, opendir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { blobFile, isBlobKey, isMissing, trashOf } from './blob-file.ts'
import type { References } from './references.ts'

type Options = {
  /** Of the store. */
  directory: string
  clock: Pick<Clock, 'now'>
  /** Blobs younger than this are left alone: their row is still to come. */
  youngMs: number
  /** How long a blob stays in the trash. Longer than any transaction may follow its `put`. */
  trashMs: number
}

export type Swept = { trashed: number; restored: number; removed: number }

/**
 * Removes blobs that nothing refers to, in two steps: into the trash, and after `trashMs` out of it, unless something refers to them by then.
 * A blob in the trash can be read, and putting the same content again makes a new file. So nothing is lost when a transaction refers to
 * a blob at the very moment it is swept, when two servers sweep, or when one is killed half-way: each step is one rename or one unlink.
 * `references` are read just before.
 */
export const sweepBlobs = async (
  { directory, clock, youngMs, trashMs }: Options,
  references: References,
  signal: AbortSignal,
): Promise<Swept> => {
  const trash = trashOf(directory)
  await mkdir(trash, { recursive: true, mode: 0o700 })
  const swept: Swept = { trashed: 0, restored: 0, removed: 0 }
  const ageMsOf = async (file: string): Promise<number> => clock.now().getTime() - (await stat(file)).mtimeMs

  const lookIntoTrash = async (key: string): Promise<void> => {
    const file = join(trash, key)
    if (references.has(key)) {
      await rename(file, blobFile(directory, key))
      swept.restored += 1
    } else if ((await ageMsOf(file)) > trashMs) {
      await rm(file)
      swept.removed += 1
    }
  }

  const lookAt = async (file: string, key: string): Promise<void> => {
    if (references.has(key) || (await ageMsOf(file)) <= youngMs) return
    // its time in the trash begins now
    const now = clock.now()
    await utimes(file, now, now)
    await rename(file, join(trash, key))
    swept.trashed += 1
  }

  for (const key of await readdir(trash)) {
    signal.throwIfAborted()
    if (isBlobKey(key)) await unlessGone(lookIntoTrash(key))
  }
  for (const outer of await foldersOf(directory)) {
    for (const inner of await foldersOf(join(directory, outer))) {
      signal.throwIfAborted()
      const folder = join(directory, outer, inner)
      for (const key of await readdir(folder)) if (isBlobKey(key)) await unlessGone(lookAt(join(folder, key), key))
    }
  }
  return swept
}

const foldersOf = async (directory: string): Promise<string[]> => {
  const found: string[] = []
  for await (const entry of await opendir(directory)) if (entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name)) found.push(entry.name)
  return found
}

/** Another server may have moved the file. */
const unlessGone = async (work: Promise<void>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}
