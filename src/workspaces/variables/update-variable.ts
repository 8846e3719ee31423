import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { lockAllowed } from '../lock-allowed.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { changedVariable } from './changed-variable.ts'
import { orKeyTaken } from './key-taken.ts'
import { findVariable, updateVariableRow } from './queries.ts'
import type { VariableUpdate } from './schemas.ts'
import { toVariable, type Variable } from './variable.ts'

/** The rules are those of `changedVariable`. */
export const updateVariable =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, workspaceId: string, id: string, input: VariableUpdate): Promise<Variable> =>
    deps.db.transaction(async (tx) => {
      const workspace = await lockAllowed(deps, ctx, tx, { id: workspaceId }, 'variable:write')
      const before = await findVariable(tx, workspace.row.id, id)
      if (before === undefined) throw notFound()
      const after = changedVariable(deps.envelope, before, input)
      await orKeyTaken(updateVariableRow(tx, after))
      return toVariable(deps.envelope, after)
    })
