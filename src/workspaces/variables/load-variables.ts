import type { Ctx } from '../../platform/context.ts'
import { allowedAmong } from '../allowed-among.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { listVariablesById } from './queries.ts'
import { toVariable, type Variable } from './variable.ts'

/** Those of the variables that the actor may read, for embedding. */
export const loadVariables =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, ids: readonly string[]): Promise<Variable[]> => {
    const rows = await listVariablesById(deps.db, ids)
    const ofWorkspaces = rows.map(({ workspaceId }) => workspaceId)
    const allowed = await allowedAmong(deps, ctx, ofWorkspaces, 'variable:read')
    return rows.filter(({ workspaceId }) => allowed.has(workspaceId)).map((row) => toVariable(deps.envelope, row))
  }
