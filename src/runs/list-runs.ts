import { and, eq, inArray, like, or, sql, type SQL } from 'drizzle-orm'
import type { Page } from '../api/index.ts'
import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { RunDeps } from './deps.ts'
import { describeRuns, type RunView } from './describe-runs.ts'
import { listQueuedRuns, listRuns } from './queries.ts'
import type { RunDb } from './run.ts'
import { discardableStatuses, finalStatuses, nonFinalStatuses, runStatuses, type RunStatus } from './statuses.ts'

export type ListRuns = {
  statuses?: string[] | undefined
  statusGroup?: string | undefined
  sources?: string[] | undefined
  operations?: string[] | undefined
  workspaceNames?: string[] | undefined
  user?: string | undefined
  commit?: string | undefined
  basic?: string | undefined
}

/** Runs of a workspace, newest first; plan-only ones only when asked for by operation. Throws NOT_FOUND. */
export const listWorkspaceRuns =
  (d: RunDeps) =>
  async (ctx: Ctx, workspaceId: string, filter: ListRuns, page: Page): Promise<{ items: RunView[]; total: number }> => {
    const { workspaces } = d.db.t
    const found = await d.db.select({ organizationId: workspaces.organizationId }).from(workspaces).where(eq(workspaces.id, workspaceId))
    if (found[0] === undefined) throw notFound()
    await d.authorize(ctx, 'run:read', { organizationId: found[0].organizationId, workspaceId })
    const { items, totalCount } = await listRuns(d.db, { workspaceId, conditions: (t) => conditions(t, filter) }, page, true)
    return { items: await describeRuns(d, ctx, items), total: totalCount }
  }

/** Runs of an organization, newest first, without totals. */
export const listOrganizationRuns =
  (d: RunDeps) =>
  async (ctx: Ctx, organizationName: string, filter: ListRuns, page: Page): Promise<{ items: RunView[]; hasMore: boolean }> => {
    const organizationId = await organizationIdOf(d, ctx, organizationName)
    const oneMore = { number: page.number, size: page.size }
    const { items } = await listRuns(d.db, { organizationId, conditions: (t) => conditions(t, filter) }, oneMore, false)
    const { items: next } = await listRuns(
      d.db,
      { organizationId, conditions: (t) => conditions(t, filter) },
      { number: page.number * page.size + 1, size: 1 },
      false,
    )
    return { items: await describeRuns(d, ctx, items), hasMore: next.length > 0 }
  }

/** Everything in the organization that is or waits to be executed, in the order of service, with its position. */
export const listRunQueue =
  (d: RunDeps) =>
  async (ctx: Ctx, organizationName: string, page: Page): Promise<{ items: RunView[]; total: number }> => {
    const organizationId = await organizationIdOf(d, ctx, organizationName)
    const queued = await listQueuedRuns(d.db, organizationId)
    const views = await describeRuns(d, ctx, queued.slice(page.offset, page.offset + page.size))
    return { items: views.map((view, index) => ({ ...view, positionInQueue: page.offset + index })), total: queued.length }
  }

const organizationIdOf = async (d: RunDeps, ctx: Ctx, name: string): Promise<string> => {
  const { organizations } = d.db.t
  const found = await d.db.select({ id: organizations.id }).from(organizations).where(eq(organizations.nameKey, name.toLowerCase()))
  if (found[0] === undefined) throw notFound()
  await d.authorize(ctx, 'run:read', { organizationId: found[0].id })
  return found[0].id
}

const NOTHING = sql`1 = 0`

const conditions = (t: RunDb['t'], filter: ListRuns): SQL | undefined => {
  const { runs } = t
  const parts: (SQL | undefined)[] = []
  if (filter.statuses !== undefined) {
    const known = runStatuses.filter((status) => filter.statuses?.includes(status))
    parts.push(known.length === 0 ? NOTHING : inArray(runs.status, known))
  }
  if (filter.statusGroup !== undefined) {
    const group = statusGroups[filter.statusGroup]
    parts.push(group === undefined ? NOTHING : inArray(runs.status, [...group]))
  }
  if (filter.sources !== undefined) parts.push(inArray(runs.source, filter.sources))
  parts.push(
    filter.operations === undefined ? eq(runs.isPlanOnly, false) : (or(...filter.operations.map((name) => operation(t, name))) ?? NOTHING),
  )
  if (filter.workspaceNames !== undefined)
    parts.push(
      inArray(
        t.workspaces.nameKey,
        filter.workspaceNames.map((name) => name.toLowerCase()),
      ),
    )
  // Commits come with version control; without it no run has one.
  if (filter.commit !== undefined) parts.push(NOTHING)
  if (filter.user !== undefined) parts.push(createdBy(t, filter.user))
  if (filter.basic !== undefined && filter.user === undefined && filter.commit === undefined) {
    parts.push(or(eq(runs.id, filter.basic), contains(runs.message, filter.basic), createdBy(t, filter.basic)))
  }
  return and(...parts)
}

const contains = (column: Parameters<typeof like>[0], text: string): SQL =>
  sql`lower(${column}) like ${`%${text.toLowerCase().replace(/[\\%_]/g, (c) => `\\${c}`)}%`} escape '\\'`

const createdBy = (t: RunDb['t'], name: string): SQL =>
  sql`${t.runs.createdByUserId} in (select id from users where username_key like ${`%${name.toLowerCase().replace(/[\\%_]/g, (c) => `\\${c}`)}%`} escape '\\')`

const statusGroups: Record<string, readonly RunStatus[] | undefined> = {
  final: finalStatuses,
  non_final: nonFinalStatuses,
  discardable: discardableStatuses,
}

const operation = ({ runs }: RunDb['t'], name: string): SQL | undefined => {
  switch (name) {
    case 'plan_only':
      return eq(runs.isPlanOnly, true)
    case 'save_plan':
      return eq(runs.isSavePlan, true)
    case 'refresh_only':
      return eq(runs.isRefreshOnly, true)
    case 'destroy':
      return eq(runs.isDestroy, true)
    case 'empty_apply':
      return eq(runs.allowEmptyApply, true)
    case 'plan_and_apply':
      return and(
        eq(runs.isPlanOnly, false),
        eq(runs.isSavePlan, false),
        eq(runs.isRefreshOnly, false),
        eq(runs.isDestroy, false),
        eq(runs.allowEmptyApply, false),
      )
    default:
      return NOTHING
  }
}
