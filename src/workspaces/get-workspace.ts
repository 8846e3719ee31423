import type { Ctx } from '../platform/context.ts'
import { findAllowed } from './find-allowed.ts'
import { loadView } from './load-view.ts'
import type { WorkspaceDeps, WorkspaceRef, WorkspaceView } from './workspace.ts'

export const getWorkspace =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, ref: WorkspaceRef): Promise<WorkspaceView> =>
    loadView(deps, ctx, deps.db, await findAllowed(deps, ctx, deps.db, ref, 'workspace:read'))
