import type { Ctx } from '../platform/context.ts'
import { loadViews } from './load-views.ts'
import { listWorkspacesById } from './queries.ts'
import type { WorkspaceDeps, WorkspaceView } from './workspace.ts'

/** Those of the workspaces that the actor may read, for embedding. */
export const loadReadable =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, ids: readonly string[]): Promise<WorkspaceView[]> => {
    const views = await loadViews(deps, ctx, deps.db, await listWorkspacesById(deps.db, ids))
    return views.filter(({ permissions }) => permissions.has('workspace:read'))
  }
