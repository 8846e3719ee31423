import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Target, VariableSetReader, VariableSetRow, VariableSetTx } from './variable-set.ts'

export type Link = { variableSetId: string; targetId: string }

/** To what the sets are applied, in the order of the ids. */
export const listLinks = async (reader: VariableSetReader, target: Target, variableSetIds: readonly string[]): Promise<Link[]> => {
  const ids = [...variableSetIds]
  const { variableSetWorkspaces: toWorkspaces, variableSetProjects: toProjects } = reader.t
  return target === 'workspaces'
    ? reader
        .select({ variableSetId: toWorkspaces.variableSetId, targetId: toWorkspaces.workspaceId })
        .from(toWorkspaces)
        .where(inArray(toWorkspaces.variableSetId, ids))
        .orderBy(asc(toWorkspaces.workspaceId))
    : reader
        .select({ variableSetId: toProjects.variableSetId, targetId: toProjects.projectId })
        .from(toProjects)
        .where(inArray(toProjects.variableSetId, ids))
        .orderBy(asc(toProjects.projectId))
}

/** Those that are there already stay. */
export const insertLinks = async (tx: VariableSetTx, target: Target, variableSetId: string, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  const { variableSetWorkspaces, variableSetProjects } = tx.t
  if (target === 'workspaces') {
    const rows = ids.map((workspaceId) => ({ variableSetId, workspaceId }))
    await tx.insert(variableSetWorkspaces).values(rows).onConflictDoNothing()
  } else {
    const rows = ids.map((projectId) => ({ variableSetId, projectId }))
    await tx.insert(variableSetProjects).values(rows).onConflictDoNothing()
  }
}

/** Without `ids`: all of them. */
export const deleteLinks = async (tx: VariableSetTx, target: Target, variableSetId: string, ids?: readonly string[]): Promise<void> => {
  const { variableSetWorkspaces: toWorkspaces, variableSetProjects: toProjects } = tx.t
  if (target === 'workspaces') {
    const isNamed = ids === undefined ? undefined : inArray(toWorkspaces.workspaceId, [...ids])
    await tx.delete(toWorkspaces).where(and(eq(toWorkspaces.variableSetId, variableSetId), isNamed))
  } else {
    const isNamed = ids === undefined ? undefined : inArray(toProjects.projectId, [...ids])
    await tx.delete(toProjects).where(and(eq(toProjects.variableSetId, variableSetId), isNamed))
  }
}

/** Those of the ids to which the set can be applied: of its organization, and for a set of a project within it. */
export const listPossibleTargets = async (
  reader: VariableSetReader,
  target: Target,
  { organizationId, projectId }: Pick<VariableSetRow, 'organizationId' | 'projectId'>,
  ids: readonly string[],
): Promise<string[]> => {
  const { workspaces, projects } = reader.t
  const ofOwner = (column: typeof workspaces.projectId | typeof projects.id) => (projectId === null ? undefined : eq(column, projectId))
  const rows =
    target === 'workspaces'
      ? await reader
          .select({ id: workspaces.id })
          .from(workspaces)
          .where(and(eq(workspaces.organizationId, organizationId), ofOwner(workspaces.projectId), inArray(workspaces.id, [...ids])))
      : await reader
          .select({ id: projects.id })
          .from(projects)
          .where(and(eq(projects.organizationId, organizationId), ofOwner(projects.id), inArray(projects.id, [...ids])))
  return rows.map(({ id }) => id)
}
