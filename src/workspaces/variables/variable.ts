import type { Envelope } from '../../platform/secrets/envelope.ts'
import type { VariableRow } from '../workspace.ts'

/** The columns of a variable, whatever it belongs to. */
export type VariableFields = Omit<VariableRow, 'workspaceId'>
export type VariableCategory = VariableFields['category']

/** As it is shown: the value of a sensitive one is null. */
type Shown<R extends VariableFields> = Omit<R, 'valueSealed'> & { value: string | null }

/** A variable of a workspace as it is shown. */
export type Variable = Shown<VariableRow>

/** Binds a sealed value to its row. */
export const sealingContext = (id: string): string => `variables/${id}`

export const toVariable = <R extends VariableFields>(envelope: Envelope, { valueSealed, ...row }: R): Shown<R> => ({
  ...row,
  value: row.isSensitive ? null : openVariable(envelope, { id: row.id, valueSealed }),
})

/** The value, sensitive or not: for runs, and for nobody else. */
export const openVariable = (envelope: Envelope, { id, valueSealed }: Pick<VariableFields, 'id' | 'valueSealed'>): string =>
  envelope.openText(valueSealed, sealingContext(id))
