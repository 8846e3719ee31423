import type { Ctx } from '../../platform/context.ts'
import { lockAllowed } from '../lock-allowed.ts'
import type { VariableRow, WorkspaceDeps } from '../workspace.ts'
import { orKeyTaken } from './key-taken.ts'
import { newVariable } from './new-variable.ts'
import { insertVariable } from './queries.ts'
import type { NewVariable } from './schemas.ts'
import { toVariable, type Variable } from './variable.ts'

/** INVALID for a refused key or value, and when the workspace has the key in that category. */
export const createVariable =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, workspaceId: string, input: NewVariable): Promise<Variable> =>
    deps.db.transaction(async (tx) => {
      const workspace = await lockAllowed(deps, ctx, tx, { id: workspaceId }, 'variable:write')
      const row: VariableRow = { ...newVariable(deps, input), workspaceId: workspace.row.id }
      await orKeyTaken(insertVariable(tx, row))
      return toVariable(deps.envelope, row)
    })
