import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { changeSet } from '../change-set.ts'
import type { VariableSetDeps } from '../variable-set.ts'
import { deleteSetVariableRow, findSetVariable } from './queries.ts'

export const deleteSetVariable =
  (d: VariableSetDeps) =>
  (ctx: Ctx, variableSetId: string, id: string): Promise<void> =>
    changeSet(d, ctx, variableSetId, async (tx) => {
      if ((await findSetVariable(tx, variableSetId, id)) === undefined) throw notFound()
      await deleteSetVariableRow(tx, id)
    })
