import { and, asc, eq, inArray, notExists, sql } from 'drizzle-orm'
import { type PageRequest, offsetOf } from '../../platform/db/paginate.ts'
import { newId } from '../../platform/ids.ts'
import { containsPattern } from '../list/like-pattern.ts'
import type { TagBinding, WorkspaceReader, WorkspaceTx } from '../workspace.ts'

export type Tag = { id: string; name: string }

/** Bindings of workspaces, in the order of adding. */
export const listBindings = async (reader: WorkspaceReader, workspaceIds: readonly string[]): Promise<TagBinding[]> => {
  if (workspaceIds.length === 0) return []
  const { tagBindings } = reader.t
  return reader
    .select()
    .from(tagBindings)
    .where(inArray(tagBindings.workspaceId, [...workspaceIds]))
    .orderBy(asc(tagBindings.position))
}

export const listBindingsById = async (reader: WorkspaceReader, ids: readonly string[]): Promise<TagBinding[]> => {
  const { tagBindings } = reader.t
  return reader
    .select()
    .from(tagBindings)
    .where(inArray(tagBindings.id, [...ids]))
    .orderBy(asc(tagBindings.position))
}

export const insertBindings = async (tx: WorkspaceTx, bindings: readonly TagBinding[]): Promise<void> => {
  if (bindings.length > 0) await tx.insert(tx.t.tagBindings).values([...bindings])
}

export const updateBindingValue = async (tx: WorkspaceTx, workspaceId: string, key: string, value: string): Promise<void> => {
  const { tagBindings } = tx.t
  await tx
    .update(tagBindings)
    .set({ value })
    .where(and(eq(tagBindings.workspaceId, workspaceId), eq(tagBindings.key, key)))
}

export const deleteBindings = async (tx: WorkspaceTx, workspaceId: string, keys: readonly string[]): Promise<void> => {
  const { tagBindings } = tx.t
  if (keys.length > 0)
    await tx.delete(tagBindings).where(and(eq(tagBindings.workspaceId, workspaceId), inArray(tagBindings.key, [...keys])))
}

/** Makes the missing tags, and holds the others against being dropped by somebody else meanwhile. */
export const ensureTags = async (tx: WorkspaceTx, organizationId: string, names: readonly string[]): Promise<void> => {
  if (names.length === 0) return
  const { tags } = tx.t
  await tx
    .insert(tags)
    .values([...names].sort().map((name) => ({ id: newId('tag'), organizationId, name })))
    .onConflictDoUpdate({ target: [tags.organizationId, tags.name], set: { name: sql`excluded.name` } })
}

/** Deletes those of the tags that no workspace of the organization carries any more. */
export const dropUnusedTags = async (tx: WorkspaceTx, organizationId: string, names: readonly string[]): Promise<void> => {
  if (names.length === 0) return
  const { tags, tagBindings, workspaces } = tx.t
  const named = and(eq(tags.organizationId, organizationId), inArray(tags.name, [...names].sort()))
  // in a statement of its own: the next one then sees what whoever held the rows has written
  await tx.forUpdate(tx.select({ id: tags.id }).from(tags).where(named).orderBy(asc(tags.name)))
  const carried = tx
    .select({ one: sql`1` })
    .from(tagBindings)
    .innerJoin(workspaces, eq(workspaces.id, tagBindings.workspaceId))
    .where(and(eq(tagBindings.key, tags.name), eq(workspaces.organizationId, organizationId)))
  await tx.delete(tags).where(and(named, notExists(carried)))
}

/** Names of the tags with these ids in the organization. */
export const listTagsById = async (reader: WorkspaceReader, organizationId: string, ids: readonly string[]): Promise<Tag[]> => {
  if (ids.length === 0) return []
  const { tags } = reader.t
  return reader
    .select({ id: tags.id, name: tags.name })
    .from(tags)
    .where(and(eq(tags.organizationId, organizationId), inArray(tags.id, [...ids])))
}

/** One page of the tags of a workspace in the order of adding, and how many there are. `name`: part of the name, any case. */
export const listTagPage = async (
  reader: WorkspaceReader,
  organizationId: string,
  workspaceId: string,
  name: string | undefined,
  page: PageRequest,
): Promise<{ items: Tag[]; total: number }> => {
  const { tags, tagBindings } = reader.t
  const matches = name === undefined ? undefined : sql`lower(${tagBindings.key}) like ${containsPattern(name.toLowerCase())} escape '\\'`
  const carried = and(eq(tagBindings.workspaceId, workspaceId), matches)
  const total = await reader.$count(tagBindings, carried)
  const items = await reader
    .select({ id: tags.id, name: tags.name })
    .from(tagBindings)
    .innerJoin(tags, and(eq(tags.organizationId, organizationId), eq(tags.name, tagBindings.key)))
    .where(carried)
    .orderBy(asc(tagBindings.position))
    .limit(page.size)
    .offset(offsetOf(page))
  return { items, total }
}
