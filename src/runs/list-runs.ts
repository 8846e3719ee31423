import type { Page } from '../api/index.ts'
import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { RunDeps } from './deps.ts'
import { describeRuns, type RunView } from './describe-runs.ts'
import { type ListFilter, listCondition } from './list-filter.ts'
import { countListed, listQueuedRuns, listRuns, type RunScope } from './list-queries.ts'
import { findOrganizationId, findWorkspace } from './queries.ts'

/** Runs of a workspace, newest first; plan-only ones only when asked for by operation. Throws NOT_FOUND. */
export const listWorkspaceRuns =
  (d: RunDeps) =>
  async (ctx: Ctx, workspaceId: string, filter: ListFilter, page: Page): Promise<{ items: RunView[]; total: number }> => {
    const workspace = await findWorkspace(d.db, workspaceId)
    if (workspace === undefined) throw notFound()
    await d.authorize(ctx, 'run:read', { organizationId: workspace.organizationId, workspaceId })
    const where = listCondition(d.db, filter, d.clock.now())
    const items = await listRuns(d.db, { workspaceId }, where, { offset: page.offset, limit: page.size })
    return { items: await describeRuns(d, ctx, items), total: await countListed(d.db, { workspaceId }, where) }
  }

/** Runs of an organization, or of the workspaces of it that the caller may see, newest first, of the past year unless asked otherwise, without totals. Throws NOT_FOUND. */
export const listOrganizationRuns =
  (d: RunDeps) =>
  async (ctx: Ctx, organizationName: string, filter: ListFilter, page: Page): Promise<{ items: RunView[]; hasMore: boolean }> => {
    const scope = await readableScope(d, ctx, organizationName)
    const where = listCondition(d.db, { ...filter, timeframe: filter.timeframe ?? 'year' }, d.clock.now())
    const items = await listRuns(d.db, scope, where, { offset: page.offset, limit: page.size + 1 })
    return { items: await describeRuns(d, ctx, items.slice(0, page.size)), hasMore: items.length > page.size }
  }

/** Everything in the organization that is or waits to be executed, in the order of service, with its position. Throws NOT_FOUND. */
export const listRunQueue =
  (d: RunDeps) =>
  async (ctx: Ctx, organizationName: string, page: Page): Promise<{ items: RunView[]; total: number }> => {
    const organizationId = await readableOrganizationId(d, ctx, organizationName)
    const { items, totalCount } = await listQueuedRuns(d.db, organizationId, page)
    const views = await describeRuns(d, ctx, items)
    return { items: views.map((view, index) => ({ ...view, positionInQueue: page.offset + index })), total: totalCount }
  }

/** The whole organization for whoever reads all of its runs, for others the workspaces that their teams were given. */
const readableScope = async (d: RunDeps, ctx: Ctx, name: string): Promise<RunScope> => {
  const organizationId = await findOrganizationId(d.db, name)
  if (organizationId === undefined) throw notFound()
  if ((await d.permissionsOf(ctx, organizationId)).has('run:read')) return { organizationId }
  const grants = await d.workspaceGrants(ctx, organizationId)
  if (grants.length === 0) throw notFound()
  return { organizationId, workspaceIds: grants.map(({ workspaceId }) => workspaceId) }
}

const readableOrganizationId = async (d: RunDeps, ctx: Ctx, name: string): Promise<string> => {
  const organizationId = await findOrganizationId(d.db, name)
  if (organizationId === undefined) throw notFound()
  await d.authorize(ctx, 'run:read', { organizationId })
  return organizationId
}
