import { and, asc, count, eq, inArray, sql } from 'drizzle-orm'
import { isId } from '../platform/ids.ts'
import type { OrganizationFacts, Workspace, WorkspaceReader, WorkspaceRef, WorkspaceRow, WorkspaceTx } from './workspace.ts'

const organizationFields = ({ organizations }: WorkspaceReader['t']) => ({
  id: organizations.id,
  name: organizations.name,
  defaultExecutionMode: organizations.defaultExecutionMode,
  allowForceDeleteWorkspaces: organizations.allowForceDeleteWorkspaces,
})

/** Workspaces with their organizations, to be narrowed by the caller. */
export const selectWorkspaces = (reader: WorkspaceReader) => {
  const { workspaces, organizations } = reader.t
  return reader
    .select({ row: workspaces, organization: organizationFields(reader.t) })
    .from(workspaces)
    .innerJoin(organizations, eq(organizations.id, workspaces.organizationId))
}

export const findWorkspace = async (reader: WorkspaceReader, ref: WorkspaceRef): Promise<Workspace | undefined> => {
  const { workspaces, organizations } = reader.t
  if ('id' in ref) {
    if (!isId(ref.id)) return undefined
    const [found] = await selectWorkspaces(reader).where(eq(workspaces.id, ref.id))
    return found
  }
  const [found] = await selectWorkspaces(reader).where(
    and(eq(organizations.nameKey, ref.organization.toLowerCase()), eq(workspaces.nameKey, ref.name.toLowerCase())),
  )
  return found
}

export const listWorkspacesById = async (reader: WorkspaceReader, ids: readonly string[]): Promise<Workspace[]> => {
  if (ids.length === 0) return []
  const { workspaces } = reader.t
  return selectWorkspaces(reader)
    .where(inArray(workspaces.id, [...ids]))
    .orderBy(asc(workspaces.organizationId), asc(workspaces.nameKey))
}

/** First statement of every transaction that writes something of a workspace: one order of locks for all slices. */
export const lockWorkspaceRow = async (tx: WorkspaceTx, id: string): Promise<WorkspaceRow | undefined> => {
  const { workspaces } = tx.t
  const prepared = tx.prepare('workspaces_lock', (q) =>
    tx.forUpdate(
      q
        .select()
        .from(workspaces)
        .where(eq(workspaces.id, sql.placeholder('id'))),
    ),
  )
  return (await prepared.execute({ id }))[0]
}

export const insertWorkspace = async (tx: WorkspaceTx, row: WorkspaceRow): Promise<void> => {
  await tx.insert(tx.t.workspaces).values(row)
}

/** Writes the given columns and counts the version up; the new row. */
export const updateWorkspaceRow = async (
  tx: WorkspaceTx,
  id: string,
  changes: Partial<Omit<WorkspaceRow, 'id' | 'version'>>,
): Promise<WorkspaceRow> => {
  const { workspaces } = tx.t
  const [row] = await tx
    .update(workspaces)
    .set({ ...changes, version: sql`${workspaces.version} + 1` })
    .where(eq(workspaces.id, id))
    .returning()
  if (row === undefined) throw new Error(`workspace ${id} vanished while it was locked`)
  return row
}

export const deleteWorkspaceRow = async (tx: WorkspaceTx, id: string): Promise<void> => {
  await tx.delete(tx.t.workspaces).where(eq(tx.t.workspaces.id, id))
}

export const findOrganization = async (reader: WorkspaceReader, name: string): Promise<OrganizationFacts | undefined> => {
  const { organizations } = reader.t
  const [found] = await reader.select(organizationFields(reader.t)).from(organizations).where(eq(organizations.nameKey, name.toLowerCase()))
  return found
}

/** Id of a project of the organization: the given one if it belongs there, without an id the default one. */
export const findProjectId = async (reader: WorkspaceReader, organizationId: string, id?: string): Promise<string | undefined> => {
  const { projects } = reader.t
  const wanted = id === undefined ? eq(projects.isDefault, true) : eq(projects.id, id)
  const [found] = await reader
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.organizationId, organizationId), wanted))
  return found?.id
}

export const findUsername = async (reader: WorkspaceReader, id: string): Promise<string | undefined> => {
  const { users } = reader.t
  const [found] = await reader.select({ username: users.username }).from(users).where(eq(users.id, id))
  return found?.username
}

/** Number of workspaces by project; projects without one are left out. */
export const countByProject = async (reader: WorkspaceReader, projectIds: readonly string[]): Promise<Map<string, number>> => {
  if (projectIds.length === 0) return new Map()
  const { workspaces } = reader.t
  const rows = await reader
    .select({ projectId: workspaces.projectId, total: count() })
    .from(workspaces)
    .where(inArray(workspaces.projectId, [...projectIds]))
    .groupBy(workspaces.projectId)
  return new Map(rows.map(({ projectId, total }) => [projectId, total]))
}
