import type { Permission } from '../organizations/index.ts'
import type { Ctx } from '../platform/context.ts'
import { listWorkspacesById } from './queries.ts'
import type { WorkspaceDeps, WorkspaceReader } from './workspace.ts'

/** Ids of those workspaces on which the actor holds `permission`. */
export const allowedAmong = async (
  { db, permissionsOf }: Pick<WorkspaceDeps, 'permissionsOf'> & { db: WorkspaceReader },
  ctx: Ctx,
  workspaceIds: readonly string[],
  permission: Permission,
): Promise<ReadonlySet<string>> => {
  const allowed = new Set<string>()
  for (const { row } of await listWorkspacesById(db, [...new Set(workspaceIds)])) {
    if ((await permissionsOf(ctx, row.organizationId, row.id, db)).has(permission)) allowed.add(row.id)
  }
  return allowed
}
