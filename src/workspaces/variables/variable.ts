import type { Envelope } from '../../platform/secrets/envelope.ts'
import type { VariableRow } from '../workspace.ts'

export type VariableCategory = VariableRow['category']

/** A variable as it is shown: the value of a sensitive one is null. */
export type Variable = Omit<VariableRow, 'valueSealed'> & { value: string | null }

/** As a run keeps it; contains the values of sensitive ones. */
export type PinnedVariable = { key: string; value: string; category: VariableCategory; hcl: boolean; sensitive: boolean }

/** Binds a sealed value to its row. */
export const sealingContext = (id: string): string => `variables/${id}`

export const toVariable = (envelope: Envelope, { valueSealed, ...row }: VariableRow): Variable => ({
  ...row,
  value: row.isSensitive ? null : envelope.openText(valueSealed, sealingContext(row.id)),
})
