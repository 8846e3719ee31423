import type { SlugLimits } from './limits.ts'
import { badSlug } from './refuse.ts'
import type { TarEntry } from './read-tar.ts'

export type Tree = {
  /** Checks one entry against the earlier ones. */
  add(name: string, entry: Pick<TarEntry, 'type' | 'linkTarget'>): void
  /** Checks where the symbolic links lead, now that all are known; answers names that differ only in case. */
  finish(): string[]
}

const MAX_TARGET_BYTES = 1024
/** As the kernel does: more hops than that resolve to nothing. */
const MAX_HOPS = 40
/** For all links of an archive together, so that a tangle of links cannot keep us busy. */
const MAX_EFFORT = 500_000
const MAX_WARNINGS = 10

/** The structure of an archive: who is below whom, what replaces what. All refusals are RunnerError `BAD_SLUG`. */
export const makeTree = (limits: Pick<SlugLimits, 'linksInside'>, platform: NodeJS.Platform = process.platform): Tree => {
  const kinds = new Map<string, TarEntry['type']>()
  const links = new Map<string, string>()
  const folded = new Map<string, string>()
  const warnings: string[] = []
  const caseInsensitive = platform === 'darwin' || platform === 'win32'

  const claimParents = (name: string): void => {
    for (let slash = name.indexOf('/'); slash !== -1; slash = name.indexOf('/', slash + 1)) {
      const parent = name.slice(0, slash)
      const kind = kinds.get(parent)
      if (kind === undefined) kinds.set(parent, 'directory')
      else if (kind !== 'directory') throw badSlug(`lies below ${kind === 'link' ? 'a symbolic link' : 'a file'}`, name)
    }
  }

  const noteCollision = (name: string): void => {
    const key = name.normalize('NFC').toLowerCase()
    const other = folded.get(key)
    folded.set(key, name)
    if (other === undefined || other === name) return
    if (caseInsensitive) throw badSlug(`has the same name as ${JSON.stringify(other)} but for case`, name)
    if (warnings.length < MAX_WARNINGS) warnings.push(`${JSON.stringify(name)} and ${JSON.stringify(other)} differ only in case.`)
  }

  const checkTarget = (name: string, target: string): void => {
    if (target === '' || Buffer.byteLength(target) > MAX_TARGET_BYTES || target.includes('\0'))
      throw badSlug('is a symbolic link without a usable target', name)
    if (limits.linksInside && target.startsWith('/')) throw badSlug('is a symbolic link to an absolute path', name)
    links.set(name, target)
  }

  return {
    add(name, { type, linkTarget }) {
      claimParents(name)
      const before = kinds.get(name)
      if (before !== undefined && (before !== type || type === 'link')) throw badSlug(`replaces a ${before} by a ${type}`, name)
      kinds.set(name, type)
      noteCollision(name)
      if (type === 'link') checkTarget(name, linkTarget)
    },
    finish() {
      const budget = { effort: MAX_EFFORT }
      if (limits.linksInside)
        for (const name of links.keys())
          if (leavesRoot(links, name, budget)) throw badSlug('is a symbolic link that leaves the archive', name)
      return warnings
    },
  }
}

/** Follows a link the way the kernel would, links on its way included. */
const leavesRoot = (links: Map<string, string>, name: string, budget: { effort: number }): boolean => {
  let at = name.slice(0, Math.max(0, name.lastIndexOf('/')))
  const pending = (links.get(name) ?? '').split('/').reverse()
  let hops = MAX_HOPS
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    // A step costs as much as the path it looks up is long.
    budget.effort -= 1 + at.length / 64
    if (budget.effort < 0) throw badSlug('has too many symbolic links that lead to each other')
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (at === '') return true
      at = at.slice(0, Math.max(0, at.lastIndexOf('/')))
      continue
    }
    const next = at === '' ? part : `${at}/${part}`
    const target = links.get(next)
    if (target === undefined) at = next
    else if (--hops < 0) return false
    else pending.push(...target.split('/').reverse())
  }
  return false
}
