import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import type { Visible } from './filter.ts'

/** What of an organization's workspaces the actor may see; a run sees its own only. NOT_FOUND for strangers. */
export const visibleTo = async (
  { permissionsOf }: Pick<WorkspaceDeps, 'permissionsOf'>,
  ctx: Ctx,
  organizationId: string,
): Promise<Visible> => {
  const permissions = await permissionsOf(ctx, organizationId)
  if (permissions.has('workspace:read')) return 'all'
  if (!permissions.has('organization:read')) throw notFound()
  return ctx.actor.kind === 'run' ? [ctx.actor.workspaceId] : []
}
