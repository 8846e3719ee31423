import type { Permission } from '../organizations/index.ts'
import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { findWorkspace } from './queries.ts'
import type { Workspace, WorkspaceDeps, WorkspaceReader, WorkspaceRef } from './workspace.ts'

/** The workspace, if the actor holds `permission` on it. Throws NOT_FOUND for what is missing and for what is not allowed. */
export const findAllowed = async (
  { authorize }: Pick<WorkspaceDeps, 'authorize'>,
  ctx: Ctx,
  reader: WorkspaceReader,
  ref: WorkspaceRef,
  permission: Permission,
): Promise<Workspace> => {
  const workspace = await findWorkspace(reader, ref)
  if (workspace === undefined) throw notFound()
  await authorize(ctx, permission, { organizationId: workspace.organization.id, workspaceId: workspace.row.id }, reader)
  return workspace
}
