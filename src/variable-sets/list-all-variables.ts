import type { Ctx } from '../platform/context.ts'
import { findAllowed, toVariable, type Variable } from '../workspaces/index.ts'
import { listEffectiveVariables } from './list-effective-variables.ts'
import type { VariableSetDeps } from './variable-set.ts'
import type { SetVariable } from './variables/set-variable.ts'

/** Of a workspace: its own and those of the sets that reach it, one for each key and category. */
export const listAllVariables =
  (d: VariableSetDeps) =>
  async (ctx: Ctx, workspaceId: string): Promise<(Variable | SetVariable)[]> => {
    const { row } = await findAllowed(d, ctx, d.db, { id: workspaceId }, 'variable:read')
    return (await listEffectiveVariables(d.db, row)).map(({ row: found }) =>
      'workspaceId' in found ? toVariable(d.envelope, found) : toVariable(d.envelope, found),
    )
  }
