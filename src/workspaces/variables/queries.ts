import { and, asc, eq, inArray } from 'drizzle-orm'
import type { VariableRow, WorkspaceReader, WorkspaceTx } from '../workspace.ts'

/** Oldest first. */
export const listVariableRows = async (reader: WorkspaceReader, workspaceId: string): Promise<VariableRow[]> => {
  const { variables } = reader.t
  return reader.select().from(variables).where(eq(variables.workspaceId, workspaceId)).orderBy(asc(variables.createdAt), asc(variables.id))
}

export const listVariableIds = async (
  reader: WorkspaceReader,
  workspaceIds: readonly string[],
): Promise<{ id: string; workspaceId: string }[]> => {
  if (workspaceIds.length === 0) return []
  const { variables } = reader.t
  return reader
    .select({ id: variables.id, workspaceId: variables.workspaceId })
    .from(variables)
    .where(inArray(variables.workspaceId, [...workspaceIds]))
    .orderBy(asc(variables.createdAt), asc(variables.id))
}

export const listVariablesById = async (reader: WorkspaceReader, ids: readonly string[]): Promise<VariableRow[]> => {
  const { variables } = reader.t
  return reader
    .select()
    .from(variables)
    .where(inArray(variables.id, [...ids]))
}

export const findVariable = async (reader: WorkspaceReader, workspaceId: string, id: string): Promise<VariableRow | undefined> => {
  const { variables } = reader.t
  const [row] = await reader
    .select()
    .from(variables)
    .where(and(eq(variables.workspaceId, workspaceId), eq(variables.id, id)))
  return row
}

export const insertVariable = async (tx: WorkspaceTx, row: VariableRow): Promise<void> => {
  await tx.insert(tx.t.variables).values(row)
}

export const updateVariableRow = async (tx: WorkspaceTx, row: VariableRow): Promise<void> => {
  await tx.update(tx.t.variables).set(row).where(eq(tx.t.variables.id, row.id))
}

export const deleteVariableRow = async (tx: WorkspaceTx, id: string): Promise<void> => {
  await tx.delete(tx.t.variables).where(eq(tx.t.variables.id, id))
}
