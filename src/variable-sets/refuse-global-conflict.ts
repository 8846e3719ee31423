import { invalid } from '../platform/errors.ts'
import { findInOtherGlobalSets } from './queries.ts'
import type { SetVariableRow, VariableSetRow, VariableSetTx } from './variable-set.ts'

/** Two global sets of an organization may not have the same key and category: nobody could tell which one counts. Throws INVALID. */
export const refuseGlobalConflict = async (
  tx: VariableSetTx,
  set: VariableSetRow,
  variables: readonly Pick<SetVariableRow, 'key' | 'category'>[],
): Promise<void> => {
  const other = set.isGlobal ? await findInOtherGlobalSets(tx, set, variables) : undefined
  if (other !== undefined) throw invalid(`Key ${other.key} is in the global variable set ${other.setName} already`, 'key')
}
