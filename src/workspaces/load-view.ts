import type { Ctx } from '../platform/context.ts'
import { loadViews } from './load-views.ts'
import type { Workspace, WorkspaceDeps, WorkspaceReader, WorkspaceView } from './workspace.ts'

export const loadView = async (
  deps: Pick<WorkspaceDeps, 'permissionsOf' | 'ports'>,
  ctx: Ctx,
  reader: WorkspaceReader,
  workspace: Workspace,
): Promise<WorkspaceView> => {
  const [view] = await loadViews(deps, ctx, reader, [workspace])
  if (view === undefined) throw new Error('a view for each workspace')
  return view
}
