import type { RawJson } from './raw-json.ts'

/** A value JSON can carry. `undefined` members are left out, a `Date` becomes RFC 3339 UTC with milliseconds and `Z`. */
export type Attribute =
  | string
  | number
  | boolean
  | null
  | undefined
  | Date
  | RawJson
  | readonly Attribute[]
  | { readonly [name: string]: Attribute }

export type Linkage = { type: string; id: string }

export type Relationship = { data?: Linkage | Linkage[] | null; links?: { self?: string; related?: string } }

/** One JSON:API resource as it goes out: all names are wire names (kebab-case). */
export type Resource = {
  type: string
  id: string
  attributes?: Record<string, Attribute>
  relationships?: Record<string, Relationship>
  links?: Record<string, string | null>
}

/** Builds a resource; relationships given as `undefined` are left out. */
export const resource = (
  from: Omit<Resource, 'relationships'> & { relationships?: Record<string, Relationship | undefined> },
): Resource => {
  const { relationships, ...rest } = from
  if (relationships === undefined) return rest
  const kept: Record<string, Relationship> = {}
  for (const [name, value] of Object.entries(relationships)) if (value !== undefined) kept[name] = value
  return { ...rest, relationships: kept }
}

/** To-one relationship; `null` says "there is none". */
export const linkOne = (type: string, id: string | null, related?: string): Relationship => ({
  data: id === null ? null : { type, id },
  ...(related === undefined ? {} : { links: { related } }),
})

/** To-many relationship; an empty list is sent as `[]`. */
export const linkMany = (type: string, ids: readonly string[], related?: string): Relationship => ({
  data: ids.map((id) => ({ type, id })),
  ...(related === undefined ? {} : { links: { related } }),
})

/** Relationship without data: only says where to read it. */
export const linkOnly = (related: string): Relationship => ({ links: { related } })

/** Identity of a resource within a document. */
export const keyOf = (link: Linkage): string => `${link.type} ${link.id}`

/** The linkage of a relationship as a list. */
export const linkagesOf = (relationship: Relationship | undefined): Linkage[] => {
  const data = relationship?.data
  if (data === undefined || data === null) return []
  return Array.isArray(data) ? data : [data]
}
