import { type SQL, and, asc, eq, inArray, ne, or, sql } from 'drizzle-orm'
import { contains } from '../platform/db/contains.ts'
import { type PageRequest, offsetOf } from '../platform/db/paginate.ts'
import { isId } from '../platform/ids.ts'
import type { SetVariableRow, VariableSetReader, VariableSetRow, VariableSetTx } from './variable-set.ts'

export type FoundSet = { row: VariableSetRow; organizationName: string }

const selectSets = (reader: VariableSetReader) => {
  const { variableSets, organizations } = reader.t
  return reader
    .select({ row: variableSets, organizationName: organizations.name })
    .from(variableSets)
    .innerJoin(organizations, eq(organizations.id, variableSets.organizationId))
}

export const findVariableSet = async (reader: VariableSetReader, id: string): Promise<FoundSet | undefined> => {
  if (!isId(id)) return undefined
  const [found] = await selectSets(reader).where(eq(reader.t.variableSets.id, id))
  return found
}

/** The sets of an organization are changed one after the other: rules look at all of them. */
export const lockOrganizationRow = async (tx: VariableSetTx, id: string): Promise<void> => {
  const { organizations } = tx.t
  await tx.forUpdate(tx.select({ id: organizations.id }).from(organizations).where(eq(organizations.id, id)))
}

/** Which sets: of a whole organization, or those that reach a project or a workspace of it. */
export type SetScope = { organizationId: string; projectId?: string; workspaceId?: string }

const isIn = (reader: VariableSetReader, { organizationId, projectId, workspaceId }: SetScope): SQL | undefined => {
  const { variableSets } = reader.t
  const isOurs = eq(variableSets.organizationId, organizationId)
  if (projectId === undefined) return isOurs
  const reaches =
    workspaceId === undefined
      ? or(appliedToProject(reader, projectId), eq(variableSets.projectId, projectId))
      : or(appliedToProject(reader, projectId), appliedToWorkspace(reader, workspaceId))
  // a set of a project does not follow a workspace out of it
  const isOwnerNear = or(sql`${variableSets.projectId} is null`, eq(variableSets.projectId, projectId))
  return and(isOurs, or(eq(variableSets.isGlobal, true), and(reaches, isOwnerNear)))
}

const appliedToProject = (reader: VariableSetReader, projectId: string): SQL => {
  const { variableSets, variableSetProjects: links } = reader.t
  return inArray(variableSets.id, reader.select({ id: links.variableSetId }).from(links).where(eq(links.projectId, projectId)))
}

const appliedToWorkspace = (reader: VariableSetReader, workspaceId: string): SQL => {
  const { variableSets, variableSetWorkspaces: links } = reader.t
  return inArray(variableSets.id, reader.select({ id: links.variableSetId }).from(links).where(eq(links.workspaceId, workspaceId)))
}

/** By name. `q`: part of the name. */
export const listSetPage = async (
  reader: VariableSetReader,
  scope: SetScope,
  q: string | undefined,
  page: PageRequest,
): Promise<{ items: FoundSet[]; total: number }> => {
  const { variableSets } = reader.t
  const isWanted = and(isIn(reader, scope), q === undefined ? undefined : contains(variableSets.name, q))
  const items = await selectSets(reader)
    .where(isWanted)
    .orderBy(asc(variableSets.name), asc(variableSets.id))
    .limit(page.size)
    .offset(offsetOf(page))
  return { items, total: await reader.$count(variableSets, isWanted) }
}

/** All sets that reach the workspace. */
export const listReachingSets = async (reader: VariableSetReader, scope: Required<SetScope>): Promise<VariableSetRow[]> =>
  (await selectSets(reader).where(isIn(reader, scope))).map(({ row }) => row)

export const insertVariableSet = async (tx: VariableSetTx, row: VariableSetRow): Promise<void> => {
  await tx.insert(tx.t.variableSets).values(row)
}

export const saveVariableSet = async (tx: VariableSetTx, { id, ...changes }: VariableSetRow): Promise<void> => {
  await tx.update(tx.t.variableSets).set(changes).where(eq(tx.t.variableSets.id, id))
}

export const touchVariableSet = async (tx: VariableSetTx, id: string, updatedAt: Date): Promise<void> => {
  await tx.update(tx.t.variableSets).set({ updatedAt }).where(eq(tx.t.variableSets.id, id))
}

export const deleteVariableSetRow = async (tx: VariableSetTx, id: string): Promise<void> => {
  await tx.delete(tx.t.variableSets).where(eq(tx.t.variableSets.id, id))
}

/** Key and category of one of these variables that another global set of the organization has. */
export const findInOtherGlobalSets = async (
  reader: VariableSetReader,
  { id, organizationId }: Pick<VariableSetRow, 'id' | 'organizationId'>,
  wanted: readonly Pick<SetVariableRow, 'key' | 'category'>[],
): Promise<{ key: string; setName: string } | undefined> => {
  const { variableSets, variableSetVariables: variables } = reader.t
  if (wanted.length === 0) return undefined
  const isWanted = or(...wanted.map(({ key, category }) => and(eq(variables.key, key), eq(variables.category, category))))
  const [found] = await reader
    .select({ key: variables.key, setName: variableSets.name })
    .from(variables)
    .innerJoin(variableSets, eq(variableSets.id, variables.variableSetId))
    .where(and(eq(variableSets.organizationId, organizationId), eq(variableSets.isGlobal, true), ne(variableSets.id, id), isWanted))
    .limit(1)
  return found
}
