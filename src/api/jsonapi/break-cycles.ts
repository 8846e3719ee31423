import { type Linkage, type Relationship, type Resource, keyOf } from './resource.ts'

/**
 * Takes linkage out of included resources until none of them can be reached from itself: the Go client follows links among them without end. Links that
 * were asked for are kept before others; links from and to primaries, which that client does not look up, are never touched.
 */
export const breakCycles = (included: readonly Resource[], followed: readonly (readonly [from: string, to: string])[]): Resource[] => {
  const edges = new Map<string, Set<string>>(included.map((resource) => [keyOf(resource), new Set()]))

  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (from === to) return true
    seen.add(from)
    for (const next of edges.get(from) ?? []) if (!seen.has(next) && reaches(next, to, seen)) return true
    return false
  }
  const accepts = (from: string, to: string): boolean => {
    if (!edges.has(to) || edges.get(from)?.has(to)) return true
    if (reaches(to, from)) return false
    edges.get(from)?.add(to)
    return true
  }

  for (const [from, to] of followed) accepts(from, to)
  return included.map((resource) => keepLinks(resource, (link) => accepts(keyOf(resource), keyOf(link))))
}

const keepLinks = (resource: Resource, keep: (link: Linkage) => boolean): Resource => {
  if (resource.relationships === undefined) return resource
  const relationships: Record<string, Relationship> = {}
  for (const [name, relationship] of Object.entries(resource.relationships)) {
    const kept = keepData(relationship, keep)
    if (kept !== undefined) relationships[name] = kept
  }
  return { ...resource, relationships }
}

/** Without its data a relationship keeps its links; with neither it goes. */
const keepData = (relationship: Relationship, keep: (link: Linkage) => boolean): Relationship | undefined => {
  const { data, ...rest } = relationship
  if (data === undefined || data === null) return relationship
  if (Array.isArray(data)) return { ...relationship, data: data.filter(keep) }
  if (keep(data)) return relationship
  return rest.links === undefined ? undefined : rest
}
