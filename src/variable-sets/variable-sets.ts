import { addSetTargets } from './add-set-targets.ts'
import { createVariableSet } from './create-variable-set.ts'
import { deleteVariableSet } from './delete-variable-set.ts'
import { getVariableSet } from './get-variable-set.ts'
import { listAllVariables } from './list-all-variables.ts'
import { listVariableSets } from './list-variable-sets.ts'
import { pinVariables } from './pin-variables.ts'
import { removeSetTargets } from './remove-set-targets.ts'
import { updateVariableSet } from './update-variable-set.ts'
import type { VariableSetDeps } from './variable-set.ts'
import { createSetVariable } from './variables/create-set-variable.ts'
import { deleteSetVariable } from './variables/delete-set-variable.ts'
import { getSetVariable } from './variables/get-set-variable.ts'
import { listVariablesOfSet } from './variables/list-variables-of-set.ts'
import { loadSetVariables } from './variables/load-set-variables.ts'
import { updateSetVariable } from './variables/update-set-variable.ts'

/** Variables that several workspaces share, and what a workspace has in the end. */
export const makeVariableSets = (d: VariableSetDeps) => ({
  createVariableSet: createVariableSet(d),
  getVariableSet: getVariableSet(d),
  listVariableSets: listVariableSets(d),
  updateVariableSet: updateVariableSet(d),
  deleteVariableSet: deleteVariableSet(d),
  addSetTargets: addSetTargets(d),
  removeSetTargets: removeSetTargets(d),
  listVariablesOfSet: listVariablesOfSet(d),
  getSetVariable: getSetVariable(d),
  createSetVariable: createSetVariable(d),
  updateSetVariable: updateSetVariable(d),
  deleteSetVariable: deleteSetVariable(d),
  loadSetVariables: loadSetVariables(d),
  listAllVariables: listAllVariables(d),
  pinVariables: pinVariables(d),
})

export type VariableSets = ReturnType<typeof makeVariableSets>
