import type { Permission } from '../organizations/index.ts'
import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { findAllowed } from './find-allowed.ts'
import { lockWorkspaceRow } from './queries.ts'
import type { Workspace, WorkspaceDeps, WorkspaceRef, WorkspaceTx } from './workspace.ts'

/** The same as `findAllowed` with the row locked until the transaction ends: how every write begins. */
export const lockAllowed = async (
  deps: Pick<WorkspaceDeps, 'authorize'>,
  ctx: Ctx,
  tx: WorkspaceTx,
  ref: WorkspaceRef,
  permission: Permission,
): Promise<Workspace> => {
  const workspace = await findAllowed(deps, ctx, tx, ref, permission)
  const row = await lockWorkspaceRow(tx, workspace.row.id)
  if (row === undefined) throw notFound()
  return { ...workspace, row }
}
