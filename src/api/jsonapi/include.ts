import type { Ctx } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { breakCycles } from './break-cycles.ts'
import { type Linkage, type Resource, keyOf, linkagesOf } from './resource.ts'

/** Reads resources of one type in one go. What the actor may not see, or what is gone, is left out of the answer. */
export type Loader = (ctx: Ctx, ids: string[]) => Promise<Resource[]>

/** By resource type; filled in `main`, so that a slice can embed resources of a slice it does not know. */
export type Loaders = Readonly<Record<string, Loader | undefined>>

/** Of several slices in one; a type that more than one of them knows is asked of each. */
export const joinLoaders = (...all: readonly Loaders[]): Loaders => {
  const joined: Record<string, Loader> = {}
  for (const [type, loader] of all.flatMap((loaders) => Object.entries(loaders))) {
    const before = joined[type]
    if (loader === undefined) continue
    joined[type] = before === undefined ? loader : async (ctx, ids) => [...(await before(ctx, ids)), ...(await loader(ctx, ids))]
  }
  return joined
}

const NO_PATHS: readonly string[] = []

/** The include paths asked for, in kebab-case. Throws INVALID_INCLUDE for one that is neither allowed nor the beginning of an allowed one. */
export const parseInclude = (query: URLSearchParams, allowed: readonly string[]): readonly string[] => {
  if (!query.has('include')) return NO_PATHS
  const paths = query
    .getAll('include')
    .flatMap((value) => value.split(','))
    .map((path) => path.trim().replaceAll('_', '-'))
    .filter((path) => path !== '')
  for (const path of paths) {
    if (allowed.some((known) => known === path || known.startsWith(`${path}.`))) continue
    const choice = allowed.length === 0 ? 'Nothing can be included here.' : `Known here: ${allowed.join(', ')}.`
    throw new AppError('INVALID_INCLUDE', `The include parameter "${path.slice(0, 100)}" is not known. ${choice}`, {
      source: { parameter: 'include' },
    })
  }
  return paths
}

type Tree = Map<string, Tree>

const treeOf = (paths: readonly string[]): Tree => {
  const root: Tree = new Map()
  for (const path of paths) {
    let at = root
    for (const name of path.split('.')) {
      const next: Tree = at.get(name) ?? new Map()
      at.set(name, next)
      at = next
    }
  }
  return root
}

/**
 * The `included` list of a document: for each path one batch per resource type, every resource once, primaries never.
 * The answer has no cycles of linkage: the Go client follows them without end.
 */
export const include = async (ctx: Ctx, loaders: Loaders, primary: readonly Resource[], paths: readonly string[]): Promise<Resource[]> => {
  const known = new Map(primary.map((resource) => [keyOf(resource), resource]))
  const included: Resource[] = []
  const followed: [from: string, to: string][] = []

  const load = async (wanted: Linkage[]): Promise<void> => {
    const byType = new Map<string, Set<string>>()
    for (const link of wanted) {
      if (known.has(keyOf(link))) continue
      byType.set(link.type, (byType.get(link.type) ?? new Set()).add(link.id))
    }
    for (const [type, ids] of byType) {
      const loader = Object.hasOwn(loaders, type) ? loaders[type] : undefined
      if (loader === undefined) ctx.log.warn({ type }, 'no loader for an included resource type')
      for (const resource of (await loader?.(ctx, [...ids])) ?? []) {
        if (known.has(keyOf(resource))) continue
        known.set(keyOf(resource), resource)
        included.push(resource)
      }
    }
  }

  const follow = async (from: readonly Resource[], tree: Tree): Promise<void> => {
    for (const [name, below] of tree) {
      const links = from.flatMap((resource) => linkagesOf(resource.relationships?.[name]).map((link) => ({ from: keyOf(resource), link })))
      await load(links.map(({ link }) => link))
      const reached = new Map<string, Resource>()
      for (const { from, link } of links) {
        const target = known.get(keyOf(link))
        if (target === undefined) continue
        followed.push([from, keyOf(link)])
        reached.set(keyOf(link), target)
      }
      await follow([...reached.values()], below)
    }
  }

  await follow(primary, treeOf(paths))
  return breakCycles(included, followed)
}
