import type { Ctx } from '../../platform/context.ts'
import type { PageRequest } from '../../platform/db/paginate.ts'
import { notFound } from '../../platform/errors.ts'
import { loadViews } from '../load-views.ts'
import { findOrganization } from '../queries.ts'
import type { WorkspaceDeps, WorkspaceView } from '../workspace.ts'
import type { WorkspaceFilter, WorkspaceSort } from './filter.ts'
import { listWorkspacePage } from './queries.ts'
import { visibleTo } from './visible-to.ts'

/** A page of the workspaces of an organization that the actor may read. NOT_FOUND for strangers to the organization. */
export const listWorkspaces =
  (deps: WorkspaceDeps) =>
  async (
    ctx: Ctx,
    organizationName: string,
    filter: WorkspaceFilter,
    sort: WorkspaceSort,
    page: PageRequest,
  ): Promise<{ items: WorkspaceView[]; total: number }> => {
    const { db, ports } = deps
    const organization = await findOrganization(db, organizationName)
    if (organization === undefined) throw notFound()
    const visible = await visibleTo(deps, ctx, organization.id)
    const { items, total } = await listWorkspacePage(db, ports.currentRun, { organizationId: organization.id, visible, filter, sort }, page)
    return { items: await loadViews(deps, ctx, db, items), total }
  }
