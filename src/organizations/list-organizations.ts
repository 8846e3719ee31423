import type { Ctx } from '../platform/context.ts'
import type { OrganizationDeps } from './deps.ts'
import { type Organization, toOrganization } from './organization.ts'
import type { Permission } from './permissions/permission.ts'
import type { PermissionsOf } from './permissions/authorize.ts'
import { permissionsOfRole } from './permissions/policy.ts'
import { findOrganization, listOrganizationsOfUser } from './queries.ts'

export type ListedOrganization = { organization: Organization; permissions: ReadonlySet<Permission> }
type Wanted = { q?: string | undefined; page?: { size: number; offset: number } | undefined }

/** The caller's own: of a user those he is a member of, of the token of an organization or a team its one. Without `page` all of them. */
export const listOrganizations =
  (d: OrganizationDeps, permissionsOf: PermissionsOf) =>
  async (ctx: Ctx, { q, page }: Wanted): Promise<{ items: ListedOrganization[]; total: number }> => {
    const { actor } = ctx
    const listed = async (found: Parameters<typeof toOrganization>[0]): Promise<ListedOrganization> => ({
      organization: toOrganization(found),
      permissions: await permissionsOf(ctx, found.row.id),
    })
    if (actor.kind === 'user') {
      const { rows, total } = await listOrganizationsOfUser(d.db, actor.userId, q, page)
      const items = rows.map(async (found) =>
        found.role === 'owner' ? { organization: toOrganization(found), permissions: permissionsOfRole('owner') } : listed(found),
      )
      return { items: await Promise.all(items), total }
    }
    const own = actor.kind === 'organization' || actor.kind === 'team' ? await findOrganization(d.db, actor.organizationId) : undefined
    if (own === undefined || !isMatch(q, [own.row.name, own.row.email])) return { items: [], total: 0 }
    return { items: page === undefined || page.offset === 0 ? [await listed(own)] : [], total: 1 }
  }

const isMatch = (q: string | undefined, texts: readonly string[]): boolean =>
  q === undefined || texts.some((text) => text.toLowerCase().includes(q.toLowerCase()))
