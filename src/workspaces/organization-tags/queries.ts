import { and, asc, count, eq, inArray, notInArray } from 'drizzle-orm'
import { contains } from '../../platform/db/contains.ts'
import { type PageRequest, offsetOf } from '../../platform/db/paginate.ts'
import { isId } from '../../platform/ids.ts'
import type { WorkspaceReader } from '../workspace.ts'

export type TagFilter = {
  /** Part of the name, any case. */
  name?: string | undefined
  /** Without the tags that this workspace carries. */
  notOfWorkspace?: string | undefined
}

/** A tag with the number of workspaces that carry it. */
export type CountedTag = { id: string; name: string; workspaces: number }

/** One page of the tags of an organization by name, and how many there are. */
export const listOrganizationTagPage = async (
  reader: WorkspaceReader,
  organizationId: string,
  { name, notOfWorkspace }: TagFilter,
  page: PageRequest,
): Promise<{ items: CountedTag[]; total: number }> => {
  const { tags, tagBindings } = reader.t
  const carried = (workspaceId: string) =>
    reader.select({ key: tagBindings.key }).from(tagBindings).where(eq(tagBindings.workspaceId, workspaceId))
  const wanted = and(
    eq(tags.organizationId, organizationId),
    name === undefined ? undefined : contains(tags.name, name),
    notOfWorkspace === undefined ? undefined : notInArray(tags.name, carried(notOfWorkspace)),
  )
  const total = await reader.$count(tags, wanted)
  const items = await reader
    .select({ id: tags.id, name: tags.name })
    .from(tags)
    .where(wanted)
    .orderBy(asc(tags.name))
    .limit(page.size)
    .offset(offsetOf(page))
  const counts = await countWorkspaces(
    reader,
    organizationId,
    items.map((tag) => tag.name),
  )
  return { items: items.map((tag) => ({ ...tag, workspaces: counts.get(tag.name) ?? 0 })), total }
}

const countWorkspaces = async (reader: WorkspaceReader, organizationId: string, names: readonly string[]): Promise<Map<string, number>> => {
  if (names.length === 0) return new Map()
  const { tagBindings, workspaces } = reader.t
  const rows = await reader
    .select({ key: tagBindings.key, total: count() })
    .from(tagBindings)
    .innerJoin(workspaces, eq(workspaces.id, tagBindings.workspaceId))
    .where(and(eq(workspaces.organizationId, organizationId), inArray(tagBindings.key, [...names])))
    .groupBy(tagBindings.key)
  return new Map(rows.map(({ key, total }) => [key, total]))
}

/** Ids of the workspaces of the organization that carry one of the tags, in the order in which they are to be locked. */
export const listCarriers = async (reader: WorkspaceReader, organizationId: string, names: readonly string[]): Promise<string[]> => {
  if (names.length === 0) return []
  const { tagBindings, workspaces } = reader.t
  const carrying = reader
    .select({ id: tagBindings.workspaceId })
    .from(tagBindings)
    .where(inArray(tagBindings.key, [...names]))
  const rows = await reader
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.organizationId, organizationId), inArray(workspaces.id, carrying)))
    .orderBy(asc(workspaces.id))
  return rows.map(({ id }) => id)
}

export const findTag = async (reader: WorkspaceReader, id: string) => {
  if (!isId(id)) return undefined
  const { tags } = reader.t
  const [found] = await reader.select().from(tags).where(eq(tags.id, id))
  return found
}
