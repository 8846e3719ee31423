import type { Ctx } from '../platform/context.ts'
import type { OrganizationDeps } from './deps.ts'
import { type Organization, toOrganization } from './organization.ts'
import type { Permission } from './permissions/permission.ts'
import { permissionsOfRole } from './permissions/policy.ts'
import { findOrganization, listOrganizationsOfUser } from './queries.ts'

export type ListedOrganization = { organization: Organization; permissions: ReadonlySet<Permission> }
type Wanted = { q?: string | undefined; page?: { size: number; offset: number } | undefined }

/** The caller's own: of a user those he is a member of, of an organization token its one. Without `page` all of them. */
export const listOrganizations =
  (d: OrganizationDeps) =>
  async ({ actor }: Ctx, { q, page }: Wanted): Promise<{ items: ListedOrganization[]; total: number }> => {
    if (actor.kind === 'user') {
      const { rows, total } = await listOrganizationsOfUser(d.db, actor.userId, q, page)
      return { items: rows.map((found) => ({ organization: toOrganization(found), permissions: permissionsOfRole(found.role) })), total }
    }
    const own = actor.kind === 'organization' ? await findOrganization(d.db, actor.organizationId) : undefined
    if (own === undefined || !isMatch(q, [own.row.name, own.row.email])) return { items: [], total: 0 }
    const listed = { organization: toOrganization(own), permissions: permissionsOfRole('organization-token') }
    return { items: page === undefined || page.offset === 0 ? [listed] : [], total: 1 }
  }

const isMatch = (q: string | undefined, texts: readonly string[]): boolean =>
  q === undefined || texts.some((text) => text.toLowerCase().includes(q.toLowerCase()))
