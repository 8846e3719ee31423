import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import type { OrganizationDeps } from './deps.ts'
import type { Authorize } from './permissions/authorize.ts'
import type { Permission } from './permissions/permission.ts'
import { listProjectsById } from './project-queries.ts'
import { type Project, toProject } from './project.ts'

/** NOT_FOUND unless the actor holds `permission` in its organization. */
export const getProject =
  (d: OrganizationDeps, authorize: Authorize) =>
  async (ctx: Ctx, id: string, permission: Permission = 'project:read'): Promise<Project> => {
    const [found] = isId(id) ? await listProjectsById(d.db, [id]) : []
    if (found === undefined) throw notFound()
    await authorize(ctx, permission, { organizationId: found.row.organizationId })
    return toProject(found)
  }

export type GetProject = ReturnType<typeof getProject>
