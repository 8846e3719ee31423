import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import type { OrganizationDeps } from './deps.ts'
import type { PermissionsOf, WorkspaceGrants } from './permissions/authorize.ts'
import type { Permission } from './permissions/permission.ts'
import { listProjectsById } from './project-queries.ts'
import { type Project, toProject } from './project.ts'

/** NOT_FOUND unless the actor holds `permission` in its organization; whoever has access to a workspace of the project may read it. */
export const getProject =
  (d: OrganizationDeps, permissionsOf: PermissionsOf, workspaceGrants: WorkspaceGrants) =>
  async (ctx: Ctx, id: string, permission: Permission = 'project:read'): Promise<Project> => {
    const [found] = isId(id) ? await listProjectsById(d.db, [id]) : []
    if (found === undefined) throw notFound()
    const { organizationId } = found.row
    if ((await permissionsOf(ctx, organizationId)).has(permission)) return toProject(found)
    const isNear = permission === 'project:read' && (await workspaceGrants(ctx, organizationId)).some(({ projectId }) => projectId === id)
    if (!isNear) throw notFound()
    return toProject(found)
  }

export type GetProject = ReturnType<typeof getProject>
