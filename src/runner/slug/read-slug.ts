import { cleanEntryName } from './clean-entry-name.ts'
import { inflate } from './inflate.ts'
import type { SlugLimits } from './limits.ts'
import { makeTree } from './make-tree.ts'
import { readTar, type TarEntry } from './read-tar.ts'
import { badSlug, slugTooLarge } from './refuse.ts'

export type SlugStats = {
  entries: number
  files: number
  unpackedBytes: number
  /** Things allowed but worth a word to the user; at most ten. */
  warnings: string[]
}

/** An entry that keeps every rule; `name` is relative to the root, never empty. */
export type SlugEntry = TarEntry & { name: string }

/**
 * Reads a configuration archive (tar.gz), yields its entries and returns its figures. All rules are applied here, so that
 * a scan and an extraction cannot differ; where links lead is known only at the end, hence scan first, then extract.
 * Throws RunnerError `BAD_SLUG` or `SLUG_TOO_LARGE`.
 */
export async function* readSlug(source: AsyncIterable<Uint8Array>, limits: SlugLimits): AsyncGenerator<SlugEntry, SlugStats> {
  const tree = makeTree(limits)
  const stats = { entries: 0, files: 0, unpackedBytes: 0 }
  for await (const entry of readTar(inflate(source, limits))) {
    stats.entries += 1
    if (stats.entries > limits.entries) throw slugTooLarge(`has more than ${limits.entries} entries`)
    if (entry.bytes > limits.fileBytes) throw slugTooLarge(`has a file of more than ${limits.fileBytes} bytes`)
    const name = cleanEntryName(entry.path)
    if (name === '' && entry.type !== 'directory') throw badSlug('has no name', entry.path)
    // `._x` is the resource fork macOS puts beside x; go-slug leaves it out too.
    if (name === '' || isResourceFork(name)) continue
    tree.add(name, entry)
    stats.unpackedBytes += entry.bytes
    if (entry.type === 'file') stats.files += 1
    yield { ...entry, name }
  }
  return { ...stats, warnings: tree.finish() }
}

const isResourceFork = (name: string): boolean => name.slice(name.lastIndexOf('/') + 1).startsWith('._')
