import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Tx } from '../../platform/db/database.ts'
import type { OrganizationReader } from '../queries.ts'
import type { OrganizationTables } from '../tables.ts'

type Writer = Tx<OrganizationTables>

export type ProjectBinding = OrganizationTables['projectTagBindings']['$inferSelect']

/** Bindings of projects, in the order of adding. */
export const listProjectBindings = async (reader: OrganizationReader, projectIds: readonly string[]): Promise<ProjectBinding[]> => {
  if (projectIds.length === 0) return []
  const { projectTagBindings: bindings } = reader.t
  return reader
    .select()
    .from(bindings)
    .where(inArray(bindings.projectId, [...projectIds]))
    .orderBy(asc(bindings.position))
}

/** With the organizations they belong to. */
export const listProjectBindingsById = async (
  reader: OrganizationReader,
  ids: readonly string[],
): Promise<{ binding: ProjectBinding; organizationId: string }[]> => {
  const { projectTagBindings: bindings, projects } = reader.t
  return reader
    .select({ binding: bindings, organizationId: projects.organizationId })
    .from(bindings)
    .innerJoin(projects, eq(projects.id, bindings.projectId))
    .where(inArray(bindings.id, [...ids]))
    .orderBy(asc(bindings.position))
}

export const insertProjectBindings = async (tx: Writer, rows: readonly ProjectBinding[]): Promise<void> => {
  if (rows.length > 0) await tx.insert(tx.t.projectTagBindings).values([...rows])
}

export const updateProjectBindingValue = async (tx: Writer, projectId: string, key: string, value: string): Promise<void> => {
  const { projectTagBindings: bindings } = tx.t
  await tx
    .update(bindings)
    .set({ value })
    .where(and(eq(bindings.projectId, projectId), eq(bindings.key, key)))
}

export const deleteProjectBindings = async (tx: Writer, projectId: string, keys: readonly string[]): Promise<void> => {
  const { projectTagBindings: bindings } = tx.t
  if (keys.length > 0) await tx.delete(bindings).where(and(eq(bindings.projectId, projectId), inArray(bindings.key, [...keys])))
}
