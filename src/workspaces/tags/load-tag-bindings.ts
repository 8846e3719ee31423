import type { Ctx } from '../../platform/context.ts'
import { allowedAmong } from '../allowed-among.ts'
import type { TagBinding, WorkspaceDeps } from '../workspace.ts'
import { listBindingsById } from './queries.ts'

/** Those of the bindings that the actor may read, for embedding. */
export const loadTagBindings =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, ids: readonly string[]): Promise<TagBinding[]> => {
    const bindings = await listBindingsById(deps.db, ids)
    const ofWorkspaces = bindings.map(({ workspaceId }) => workspaceId)
    const allowed = await allowedAmong(deps, ctx, ofWorkspaces, 'workspace:read')
    return bindings.filter(({ workspaceId }) => allowed.has(workspaceId))
  }
