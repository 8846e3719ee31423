import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { changedVariable, orKeyTaken, toVariable, type VariableUpdate } from '../../workspaces/index.ts'
import { changeSet } from '../change-set.ts'
import { refuseGlobalConflict } from '../refuse-global-conflict.ts'
import type { VariableSetDeps } from '../variable-set.ts'
import { findSetVariable, saveSetVariable } from './queries.ts'
import type { SetVariable } from './set-variable.ts'

/** The rules are those of the variables of workspaces. */
export const updateSetVariable =
  (d: VariableSetDeps) =>
  (ctx: Ctx, variableSetId: string, id: string, input: VariableUpdate): Promise<SetVariable> =>
    changeSet(d, ctx, variableSetId, async (tx, { row: set }) => {
      const before = await findSetVariable(tx, variableSetId, id)
      if (before === undefined) throw notFound()
      const after = changedVariable(d.envelope, before, input)
      await refuseGlobalConflict(tx, set, [after])
      await orKeyTaken(saveSetVariable(tx, after))
      return toVariable(d.envelope, after)
    })
