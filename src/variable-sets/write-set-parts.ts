import { newVariable, orKeyTaken } from '../workspaces/index.ts'
import { applySet } from './apply-set.ts'
import { deleteLinks } from './link-queries.ts'
import { refuseGlobalConflict } from './refuse-global-conflict.ts'
import type { UpdateVariableSet } from './schemas.ts'
import type { VariableSetDeps, VariableSetRow, VariableSetTx } from './variable-set.ts'
import { insertSetVariables, listSetVariables } from './variables/queries.ts'

/**
 * What comes with the attributes of a set: to what it is applied, instead of before, and new variables. A global set is applied to nothing
 * by name; what is sent along is accepted without effect. Throws INVALID.
 */
export const writeSetParts = async (
  d: VariableSetDeps,
  tx: VariableSetTx,
  set: VariableSetRow,
  input: Pick<UpdateVariableSet, 'workspaces' | 'projects' | 'vars'>,
): Promise<void> => {
  for (const target of ['workspaces', 'projects'] as const) {
    const ids = set.isGlobal ? [] : input[target]
    if (ids === undefined) continue
    await deleteLinks(tx, target, set.id)
    await applySet(tx, set, target, ids)
  }
  const added = (input.vars ?? []).flatMap(({ attributes }) =>
    attributes === undefined ? [] : { ...newVariable(d, attributes), variableSetId: set.id },
  )
  await orKeyTaken(insertSetVariables(tx, added))
  await refuseGlobalConflict(tx, set, await listSetVariables(tx, [set.id]))
}
