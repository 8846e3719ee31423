import { closeSync, constants, fchmodSync, fchownSync, futimesSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { chmod, chown, lchown, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type SlugLimits, slugLimits } from './limits.ts'
import { readSlug, type SlugEntry } from './read-slug.ts'

export type ExtractOptions = {
  /** Who gets the files; needs root. Absent: whoever runs this. */
  owner?: { uid: number; gid: number } | undefined
  limits?: SlugLimits
}

/**
 * Unpacks a scanned archive into `directory`, which must exist, be empty and be writable by nobody else. Links are made
 * last, so no path below is ever followed through one. Modes become 0755 or 0644; owner and extended attributes of the
 * archive are ignored. Throws as `scanSlug` does, and file system errors as they are.
 */
export const extractSlug = async (source: AsyncIterable<Uint8Array>, directory: string, options: ExtractOptions = {}): Promise<void> => {
  const { owner, limits = slugLimits } = options
  const made = new Set<string>([''])
  const links: SlugEntry[] = []

  const makeDirectory = async (name: string): Promise<void> => {
    if (made.has(name)) return
    await makeDirectory(parentOf(name))
    await mkdir(join(directory, name), { mode: 0o700 })
    made.add(name)
  }

  for await (const entry of readSlug(source, limits)) {
    if (entry.type === 'directory') await makeDirectory(entry.name)
    else await makeDirectory(parentOf(entry.name))
    if (entry.type === 'file') await writeFile(join(directory, entry.name), entry, owner)
    if (entry.type === 'link') links.push(entry)
  }
  for (const link of links) {
    await symlink(link.linkTarget, join(directory, link.name))
    if (owner !== undefined) await lchown(join(directory, link.name), owner.uid, owner.gid)
  }
  for (const name of made) {
    if (name === '') continue
    await chmod(join(directory, name), 0o755)
    if (owner !== undefined) await chown(join(directory, name), owner.uid, owner.gid)
  }
}

const parentOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')))

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

const writeFile = async (path: string, entry: SlugEntry, owner: ExtractOptions['owner']): Promise<void> => {
  const file = create(path)
  try {
    for await (const piece of entry.body()) writeAll(file, piece)
    fchmodSync(file, (entry.mode & 0o100) === 0 ? 0o644 : 0o755)
    if (owner !== undefined) fchownSync(file, owner.uid, owner.gid)
    futimesSync(file, entry.modifiedAt, entry.modifiedAt)
  } finally {
    closeSync(file)
  }
}

const create = (path: string): number => {
  try {
    return openSync(path, CREATE, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // A file named twice: the later one wins.
    unlinkSync(path)
    return openSync(path, CREATE, 0o600)
  }
}

const writeAll = (file: number, piece: Buffer): void => {
  for (let at = 0; at < piece.length;) at += writeSync(file, piece, at)
}
