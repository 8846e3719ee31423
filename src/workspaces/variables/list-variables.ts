import type { Ctx } from '../../platform/context.ts'
import { findAllowed } from '../find-allowed.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { listVariableRows } from './queries.ts'
import { toVariable, type Variable } from './variable.ts'

/** All variables of a workspace, oldest first. */
export const listVariables =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, workspaceId: string): Promise<Variable[]> => {
    const workspace = await findAllowed(deps, ctx, deps.db, { id: workspaceId }, 'variable:read')
    return (await listVariableRows(deps.db, workspace.row.id)).map((row) => toVariable(deps.envelope, row))
  }
