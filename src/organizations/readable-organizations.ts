import type { Ctx } from '../platform/context.ts'
import type { OrganizationDeps } from './deps.ts'
import type { ListedOrganization } from './list-organizations.ts'
import { toOrganization } from './organization.ts'
import type { PermissionsOf } from './permissions/authorize.ts'
import { listOrganizationsByName } from './queries.ts'

/** Those of the names that exist and that the actor may read. */
export const readableOrganizations =
  (d: OrganizationDeps, permissionsOf: PermissionsOf) =>
  async (ctx: Ctx, names: readonly string[]): Promise<ListedOrganization[]> => {
    const readable: ListedOrganization[] = []
    for (const organization of (await listOrganizationsByName(d.db, names)).map(toOrganization)) {
      const permissions = await permissionsOf(ctx, organization.id)
      if (permissions.has('organization:read')) readable.push({ organization, permissions })
    }
    return readable
  }
