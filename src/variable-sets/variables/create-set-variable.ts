import type { Ctx } from '../../platform/context.ts'
import { newVariable, type NewVariable, orKeyTaken, toVariable } from '../../workspaces/index.ts'
import { changeSet } from '../change-set.ts'
import { refuseGlobalConflict } from '../refuse-global-conflict.ts'
import type { SetVariableRow, VariableSetDeps } from '../variable-set.ts'
import { insertSetVariables } from './queries.ts'
import type { SetVariable } from './set-variable.ts'

/** INVALID for a refused key or value, and when the set, or for a global one another global set, has the key in that category. */
export const createSetVariable =
  (d: VariableSetDeps) =>
  (ctx: Ctx, variableSetId: string, input: NewVariable): Promise<SetVariable> =>
    changeSet(d, ctx, variableSetId, async (tx, { row: set }) => {
      const row: SetVariableRow = { ...newVariable(d, input), variableSetId }
      await refuseGlobalConflict(tx, set, [row])
      await orKeyTaken(insertSetVariables(tx, [row]))
      return toVariable(d.envelope, row)
    })
