import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { OrganizationDeps } from './deps.ts'
import { type Organization, toOrganization } from './organization.ts'
import type { Authorize } from './permissions/authorize.ts'
import type { Permission } from './permissions/permission.ts'
import { findOrganization, prepareFindOrganizationByName } from './queries.ts'

/** By name in whatever case. NOT_FOUND unless the actor holds `permission` in it. */
export const getOrganization = (d: OrganizationDeps, authorize: Authorize) => {
  const findByName = prepareFindOrganizationByName(d.db)
  return async (ctx: Ctx, name: string, permission: Permission = 'organization:read'): Promise<Organization> => {
    const found = await findByName(name)
    if (found === undefined) throw notFound()
    await authorize(ctx, permission, { organizationId: found.row.id })
    return toOrganization(found)
  }
}

export type GetOrganization = ReturnType<typeof getOrganization>

/** By `org-…` id and without a check: for slices that have authorized already. */
export const findOrganizationById =
  (d: OrganizationDeps) =>
  async (id: string): Promise<Organization | undefined> => {
    const found = await findOrganization(d.db, id)
    return found && toOrganization(found)
  }
