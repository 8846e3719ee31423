import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { findAllowed } from '../find-allowed.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { findVariable } from './queries.ts'
import { toVariable, type Variable } from './variable.ts'

export const getVariable =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, workspaceId: string, id: string): Promise<Variable> => {
    const workspace = await findAllowed(deps, ctx, deps.db, { id: workspaceId }, 'variable:read')
    const row = await findVariable(deps.db, workspace.row.id, id)
    if (row === undefined) throw notFound()
    return toVariable(deps.envelope, row)
  }
