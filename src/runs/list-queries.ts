import { and, asc, count, desc, eq, inArray, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { offsetOf, type PageRequest } from '../platform/db/paginate.ts'
import type { RunDb, RunRow } from './run.ts'
import { isExecuting, isWaitingForRunner, queuedStatuses } from './statuses.ts'

/** `workspaceIds`: only in these workspaces of it. */
export type RunScope = { workspaceId: string } | { organizationId: string; workspaceIds?: readonly string[] | undefined }

const scoped = ({ runs }: RunDb['t'], scope: RunScope): SQL | undefined => {
  if ('workspaceId' in scope) return eq(runs.workspaceId, scope.workspaceId)
  const { organizationId, workspaceIds } = scope
  return and(eq(runs.organizationId, organizationId), workspaceIds === undefined ? undefined : inArray(runs.workspaceId, [...workspaceIds]))
}

/** Runs [offset, offset + limit), newest first. */
export const listRuns = async (
  db: RunDb,
  scope: RunScope,
  where: SQL | undefined,
  { offset, limit }: { offset: number; limit: number },
): Promise<RunRow[]> => {
  const { runs, workspaces } = db.t
  const order = 'workspaceId' in scope ? [desc(runs.position)] : [desc(runs.createdAt), desc(runs.id)]
  const rows = await db
    .select({ run: runs })
    .from(runs)
    .innerJoin(workspaces, eq(workspaces.id, runs.workspaceId))
    .where(and(scoped(db.t, scope), where))
    .orderBy(...order)
    .limit(limit)
    .offset(offset)
  return rows.map((row) => row.run)
}

export const countListed = async (db: RunDb, scope: RunScope, where: SQL | undefined): Promise<number> => {
  const { runs, workspaces } = db.t
  const rows = await db
    .select({ total: count() })
    .from(runs)
    .innerJoin(workspaces, eq(workspaces.id, runs.workspaceId))
    .where(and(scoped(db.t, scope), where))
  return rows[0]?.total ?? 0
}

const isQueued = ({ runs }: RunDb['t'], organizationId: string | Placeholder): SQL | undefined =>
  and(eq(runs.isOpen, true), eq(runs.organizationId, organizationId), inArray(runs.status, [...queuedStatuses]))

/** Those at work first: clients take the number of them from a position to say how many are before it. */
const inServiceOrder = ({ runs }: RunDb['t']): SQL[] => [
  sql`case when ${inArray(runs.status, ['planning', 'applying'])} then 0 else 1 end`,
  asc(runs.createdAt),
  asc(runs.id),
]

/** Ids of the organization's runs that are served or wait for it, in their order. */
export const listQueuedRunIds = async (db: RunDb, organizationId: string): Promise<string[]> => {
  const { runs } = db.t
  const prepared = db.prepare('runs_list_queued', (q) =>
    q
      .select({ id: runs.id })
      .from(runs)
      .where(isQueued(db.t, sql.placeholder('organizationId')))
      .orderBy(...inServiceOrder(db.t)),
  )
  const rows = await prepared.execute({ organizationId })
  return rows.map((row) => row.id)
}

export const listQueuedRuns = async (
  db: RunDb,
  organizationId: string,
  page: PageRequest,
): Promise<{ items: RunRow[]; totalCount: number }> => {
  const { runs } = db.t
  const where = isQueued(db.t, organizationId)
  const items = await db
    .select()
    .from(runs)
    .where(where)
    .orderBy(...inServiceOrder(db.t))
    .limit(page.size)
    .offset(offsetOf(page))
  return { items, totalCount: await db.$count(runs, where) }
}

export const countRuns = async (db: RunDb, organizationId: string): Promise<{ pending: number; running: number }> => {
  const { runs } = db.t
  const rows = await db
    .select({ status: runs.status, total: count() })
    .from(runs)
    .where(and(eq(runs.isOpen, true), eq(runs.organizationId, organizationId)))
    .groupBy(runs.status)
  const totalOf = (isCounted: (status: RunRow['status']) => boolean): number =>
    rows.filter(({ status }) => isCounted(status)).reduce((sum, { total }) => sum + total, 0)
  return { pending: totalOf(isWaitingForRunner), running: totalOf(isExecuting) }
}
