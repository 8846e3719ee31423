import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import type { Visible } from './filter.ts'

/** What of an organization's workspaces the actor may see; a run sees its own only, teams what they were given. NOT_FOUND for strangers. */
export const visibleTo = async (
  { permissionsOf, workspaceGrants }: Pick<WorkspaceDeps, 'permissionsOf' | 'workspaceGrants'>,
  ctx: Ctx,
  organizationId: string,
): Promise<Visible> => {
  const permissions = await permissionsOf(ctx, organizationId)
  if (permissions.has('workspace:read')) return 'all'
  if (!permissions.has('organization:read')) throw notFound()
  if (ctx.actor.kind === 'run') return [ctx.actor.workspaceId]
  return (await workspaceGrants(ctx, organizationId)).map(({ workspaceId }) => workspaceId)
}
