import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { lockAllowed } from '../lock-allowed.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { deleteVariableRow, findVariable } from './queries.ts'

export const deleteVariable =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, workspaceId: string, id: string): Promise<void> =>
    deps.db.transaction(async (tx) => {
      const workspace = await lockAllowed(deps, ctx, tx, { id: workspaceId }, 'variable:write')
      if ((await findVariable(tx, workspace.row.id, id)) === undefined) throw notFound()
      await deleteVariableRow(tx, id)
    })
