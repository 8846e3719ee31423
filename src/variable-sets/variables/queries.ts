import { and, asc, eq, inArray } from 'drizzle-orm'
import { type PageRequest, offsetOf } from '../../platform/db/paginate.ts'
import type { SetVariableRow, VariableSetReader, VariableSetTx } from '../variable-set.ts'

/** Of several sets, oldest first. */
export const listSetVariables = async (reader: VariableSetReader, variableSetIds: readonly string[]): Promise<SetVariableRow[]> => {
  if (variableSetIds.length === 0) return []
  const { variableSetVariables: variables } = reader.t
  return reader
    .select()
    .from(variables)
    .where(inArray(variables.variableSetId, [...variableSetIds]))
    .orderBy(asc(variables.createdAt), asc(variables.id))
}

export const listSetVariablePage = async (
  reader: VariableSetReader,
  variableSetId: string,
  page: PageRequest,
): Promise<{ items: SetVariableRow[]; total: number }> => {
  const { variableSetVariables: variables } = reader.t
  const isOfSet = eq(variables.variableSetId, variableSetId)
  const items = await reader
    .select()
    .from(variables)
    .where(isOfSet)
    .orderBy(asc(variables.createdAt), asc(variables.id))
    .limit(page.size)
    .offset(offsetOf(page))
  return { items, total: await reader.$count(variables, isOfSet) }
}

/** With the organization of the set. */
export const listSetVariablesById = async (
  reader: VariableSetReader,
  ids: readonly string[],
): Promise<{ row: SetVariableRow; organizationId: string }[]> => {
  const { variableSetVariables: variables, variableSets } = reader.t
  return reader
    .select({ row: variables, organizationId: variableSets.organizationId })
    .from(variables)
    .innerJoin(variableSets, eq(variableSets.id, variables.variableSetId))
    .where(inArray(variables.id, [...ids]))
}

export const findSetVariable = async (
  reader: VariableSetReader,
  variableSetId: string,
  id: string,
): Promise<SetVariableRow | undefined> => {
  const { variableSetVariables: variables } = reader.t
  const [row] = await reader
    .select()
    .from(variables)
    .where(and(eq(variables.variableSetId, variableSetId), eq(variables.id, id)))
  return row
}

export const insertSetVariables = async (tx: VariableSetTx, rows: readonly SetVariableRow[]): Promise<void> => {
  if (rows.length > 0) await tx.insert(tx.t.variableSetVariables).values([...rows])
}

export const saveSetVariable = async (tx: VariableSetTx, row: SetVariableRow): Promise<void> => {
  await tx.update(tx.t.variableSetVariables).set(row).where(eq(tx.t.variableSetVariables.id, row.id))
}

export const deleteSetVariableRow = async (tx: VariableSetTx, id: string): Promise<void> => {
  await tx.delete(tx.t.variableSetVariables).where(eq(tx.t.variableSetVariables.id, id))
}
