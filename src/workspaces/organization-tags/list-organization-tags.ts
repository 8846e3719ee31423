import type { Ctx } from '../../platform/context.ts'
import type { PageRequest } from '../../platform/db/paginate.ts'
import { notFound } from '../../platform/errors.ts'
import { findOrganization } from '../queries.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { type CountedTag, type TagFilter, listOrganizationTagPage } from './queries.ts'

/** A page of the tags of an organization, for those who may read all of its workspaces. */
export const listOrganizationTags =
  ({ db, authorize }: WorkspaceDeps) =>
  async (
    ctx: Ctx,
    organizationName: string,
    filter: TagFilter,
    page: PageRequest,
  ): Promise<{ organizationName: string; items: CountedTag[]; total: number }> => {
    const organization = await findOrganization(db, organizationName)
    if (organization === undefined) throw notFound()
    await authorize(ctx, 'workspace:read', { organizationId: organization.id })
    return { organizationName: organization.name, ...(await listOrganizationTagPage(db, organization.id, filter, page)) }
  }
