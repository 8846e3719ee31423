import { and, asc, count, desc, eq, gt, inArray, lt, ne, or, sql, type SQL } from 'drizzle-orm'
import type { PageRequest } from '../platform/db/paginate.ts'
import { offsetOf } from '../platform/db/paginate.ts'
import { notFound } from '../platform/errors.ts'
import type { CommentRow, ConfigurationVersionRow, PhaseRow, RunDb, RunEventRow, RunRow, RunTx } from './run.ts'

type Reader = Pick<RunDb, 'select' | '$count' | 't'>

const first = <T>(rows: T[]): T | undefined => rows[0]

export const findRun = async (db: Reader, id: string): Promise<RunRow | undefined> =>
  first(await db.select().from(db.t.runs).where(eq(db.t.runs.id, id)))

export const listRunsById = (db: Reader, ids: string[]): Promise<RunRow[]> =>
  ids.length === 0 ? Promise.resolve([]) : Promise.resolve(db.select().from(db.t.runs).where(inArray(db.t.runs.id, ids)))

/** The run, its workspace's row locked before it: the one lock order. Throws NOT_FOUND. */
export const lockRun = async (tx: RunTx, id: string): Promise<RunRow> => {
  const { runs, workspaces } = tx.t
  const found = first(await tx.select({ workspaceId: runs.workspaceId }).from(runs).where(eq(runs.id, id)))
  if (found === undefined) throw notFound()
  await tx.forUpdate(tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, found.workspaceId)))
  const run = await findRun(tx, id)
  if (run === undefined) throw notFound()
  return run
}

export const insertRun = async (
  tx: RunTx,
  run: RunTx['t']['runs']['$inferInsert'],
  phases: RunTx['t']['phases']['$inferInsert'][],
): Promise<void> => {
  await tx.insert(tx.t.runs).values(run)
  await tx.insert(tx.t.phases).values(phases)
}

export const saveRun = async (tx: RunTx, id: string, patch: Partial<RunRow>): Promise<void> => {
  await tx.update(tx.t.runs).set(patch).where(eq(tx.t.runs.id, id))
}

export const listPhases = (db: Reader, runIds: string[]): Promise<PhaseRow[]> =>
  runIds.length === 0 ? Promise.resolve([]) : Promise.resolve(db.select().from(db.t.phases).where(inArray(db.t.phases.runId, runIds)))

export const findPhase = async (db: Reader, id: string): Promise<PhaseRow | undefined> =>
  first(await db.select().from(db.t.phases).where(eq(db.t.phases.id, id)))

export const listPhasesById = (db: Reader, ids: string[]): Promise<PhaseRow[]> =>
  Promise.resolve(db.select().from(db.t.phases).where(inArray(db.t.phases.id, ids)))

export const savePhase = async (tx: RunTx, id: string, patch: Partial<PhaseRow>): Promise<void> => {
  await tx.update(tx.t.phases).set(patch).where(eq(tx.t.phases.id, id))
}

export const nextRunPosition = async (tx: RunTx, workspaceId: string): Promise<number> => {
  const rows = await tx
    .select({ max: sql<number | null>`max(${tx.t.runs.position})` })
    .from(tx.t.runs)
    .where(eq(tx.t.runs.workspaceId, workspaceId))
  return Number(rows[0]?.max ?? 0) + 1
}

/** Unfinished runs of the workspace in the order of the queue. */
export const listOpenRuns = (db: Reader, workspaceId: string): Promise<RunRow[]> =>
  Promise.resolve(
    db
      .select()
      .from(db.t.runs)
      .where(and(eq(db.t.runs.isOpen, true), eq(db.t.runs.workspaceId, workspaceId)))
      .orderBy(asc(db.t.runs.position)),
  )

/** Workspaces that have a run waiting for its turn. */
export const listWorkspacesWithPendingRuns = async (db: RunDb): Promise<string[]> => {
  const rows = await db
    .selectDistinct({ workspaceId: db.t.runs.workspaceId })
    .from(db.t.runs)
    .where(and(eq(db.t.runs.isOpen, true), eq(db.t.runs.status, 'pending')))
  return rows.map((row) => row.workspaceId)
}

export type RunFilter = { workspaceId?: string; organizationId?: string; conditions: (t: RunDb['t']) => SQL | undefined }

/** Newest first. `totalCount` only when asked: the organization's list has none. */
export const listRuns = async (
  db: RunDb,
  filter: RunFilter,
  page: PageRequest,
  withTotal: boolean,
): Promise<{ items: RunRow[]; totalCount: number }> => {
  const { runs, workspaces } = db.t
  const where = and(
    filter.workspaceId === undefined ? undefined : eq(runs.workspaceId, filter.workspaceId),
    filter.organizationId === undefined ? undefined : eq(runs.organizationId, filter.organizationId),
    filter.conditions(db.t),
  )
  const order = filter.workspaceId === undefined ? [desc(runs.createdAt), desc(runs.id)] : [desc(runs.position)]
  const rows = await db
    .select({ run: runs })
    .from(runs)
    .innerJoin(workspaces, eq(workspaces.id, runs.workspaceId))
    .where(where)
    .orderBy(...order)
    .limit(page.size)
    .offset(offsetOf(page))
  if (!withTotal) return { items: rows.map((row) => row.run), totalCount: 0 }
  const totals = await db.select({ total: count() }).from(runs).innerJoin(workspaces, eq(workspaces.id, runs.workspaceId)).where(where)
  return { items: rows.map((row) => row.run), totalCount: totals[0]?.total ?? 0 }
}

/** Open runs of the organization in the order in which they will be served. */
export const listQueuedRuns = (db: RunDb, organizationId: string): Promise<RunRow[]> =>
  Promise.resolve(
    db
      .select()
      .from(db.t.runs)
      .where(
        and(
          eq(db.t.runs.isOpen, true),
          eq(db.t.runs.organizationId, organizationId),
          inArray(db.t.runs.status, [
            'pending',
            'fetching',
            'queuing',
            'plan_queued',
            'planning',
            'confirmed',
            'queuing_apply',
            'apply_queued',
            'applying',
          ]),
        ),
      )
      .orderBy(asc(db.t.runs.createdAt), asc(db.t.runs.id)),
  )

export const findConfigurationVersion = async (db: Reader, id: string): Promise<ConfigurationVersionRow | undefined> =>
  first(await db.select().from(db.t.configurationVersions).where(eq(db.t.configurationVersions.id, id)))

export const listConfigurationVersionsById = (db: Reader, ids: string[]): Promise<ConfigurationVersionRow[]> =>
  Promise.resolve(db.select().from(db.t.configurationVersions).where(inArray(db.t.configurationVersions.id, ids)))

/** The version that a run without one uses: the newest that is neither speculative nor provisional. */
export const findLatestConfigurationVersion = async (db: Reader, workspaceId: string): Promise<ConfigurationVersionRow | undefined> => {
  const t = db.t.configurationVersions
  return first(
    await db
      .select()
      .from(t)
      .where(and(eq(t.workspaceId, workspaceId), eq(t.isSpeculative, false), eq(t.isProvisional, false)))
      .orderBy(desc(t.position))
      .limit(1),
  )
}

export const listConfigurationVersions = async (
  db: RunDb,
  workspaceId: string,
  page: PageRequest,
): Promise<{ items: ConfigurationVersionRow[]; totalCount: number }> => {
  const t = db.t.configurationVersions
  const where = eq(t.workspaceId, workspaceId)
  const items = await db.select().from(t).where(where).orderBy(desc(t.position)).limit(page.size).offset(offsetOf(page))
  return { items, totalCount: await db.$count(t, where) }
}

export const nextConfigurationPosition = async (tx: RunTx, workspaceId: string): Promise<number> => {
  const t = tx.t.configurationVersions
  const rows = await tx
    .select({ max: sql<number | null>`max(${t.position})` })
    .from(t)
    .where(eq(t.workspaceId, workspaceId))
  return Number(rows[0]?.max ?? 0) + 1
}

export const insertConfigurationVersion = async (
  tx: RunTx,
  row: RunTx['t']['configurationVersions']['$inferInsert'],
): Promise<ConfigurationVersionRow> => {
  const rows = await tx.insert(tx.t.configurationVersions).values(row).returning()
  return rows[0]!
}

export const saveConfigurationVersion = async (tx: RunTx, id: string, patch: Partial<ConfigurationVersionRow>): Promise<void> => {
  await tx.update(tx.t.configurationVersions).set(patch).where(eq(tx.t.configurationVersions.id, id))
}

/** Runs that use the configuration and have not ended. */
export const hasOpenRunOf = async (db: Reader, configurationVersionId: string): Promise<boolean> =>
  (await db.$count(db.t.runs, and(eq(db.t.runs.configurationVersionId, configurationVersionId), eq(db.t.runs.isOpen, true)))) > 0

export const insertRunEvent = async (tx: RunTx, event: Omit<RunEventRow, 'position'>): Promise<void> => {
  const t = tx.t.runEvents
  const rows = await tx
    .select({ max: sql<number | null>`max(${t.position})` })
    .from(t)
    .where(eq(t.runId, event.runId))
  await tx.insert(t).values({ ...event, position: Number(rows[0]?.max ?? 0) + 1 })
}

export const listRunEvents = (db: Reader, runIds: string[]): Promise<RunEventRow[]> =>
  Promise.resolve(db.select().from(db.t.runEvents).where(inArray(db.t.runEvents.runId, runIds)).orderBy(asc(db.t.runEvents.position)))

export const findRunEvent = async (db: Reader, id: string): Promise<RunEventRow | undefined> =>
  first(await db.select().from(db.t.runEvents).where(eq(db.t.runEvents.id, id)))

export const listRunEventsById = (db: Reader, ids: string[]): Promise<RunEventRow[]> =>
  Promise.resolve(db.select().from(db.t.runEvents).where(inArray(db.t.runEvents.id, ids)))

export const listCommentsById = (db: Reader, ids: string[]): Promise<CommentRow[]> =>
  Promise.resolve(db.select().from(db.t.comments).where(inArray(db.t.comments.id, ids)))

/** State versions that the runs have written, oldest first. */
export const listStateVersionIds = async (db: Reader, runIds: string[]): Promise<{ id: string; runId: string }[]> => {
  const t = db.t.stateVersions
  const rows = await db.select({ id: t.id, runId: t.runId }).from(t).where(inArray(t.runId, runIds)).orderBy(asc(t.position))
  return rows.flatMap(({ id, runId }) => (runId === null ? [] : [{ id, runId }]))
}

/** Organization of each workspace. */
export const listOrganizationIds = async (db: Reader, workspaceIds: string[]): Promise<Map<string, string>> => {
  const t = db.t.workspaces
  const rows = await db.select({ id: t.id, organizationId: t.organizationId }).from(t).where(inArray(t.id, workspaceIds))
  return new Map(rows.map((row) => [row.id, row.organizationId]))
}

export const insertComment = async (tx: RunTx, comment: CommentRow): Promise<void> => {
  await tx.insert(tx.t.comments).values(comment)
}

export const listComments = (db: Reader, runIds: string[]): Promise<CommentRow[]> =>
  Promise.resolve(
    db
      .select()
      .from(db.t.comments)
      .where(inArray(db.t.comments.runId, runIds))
      .orderBy(asc(db.t.comments.createdAt), asc(db.t.comments.id)),
  )

/** Saved plans of the workspace that wait; a new state makes them worthless. */
export const listSavedPlans = (tx: RunTx, workspaceId: string, exceptRunId: string): Promise<RunRow[]> =>
  Promise.resolve(
    tx
      .select()
      .from(tx.t.runs)
      .where(
        and(
          eq(tx.t.runs.workspaceId, workspaceId),
          eq(tx.t.runs.isOpen, true),
          eq(tx.t.runs.status, 'planned_and_saved'),
          ne(tx.t.runs.id, exceptRunId),
        ),
      ),
  )

export const countRuns = async (db: RunDb, organizationId: string): Promise<{ pending: number; running: number }> => {
  const { runs } = db.t
  const rows = await db
    .select({ status: runs.status, total: count() })
    .from(runs)
    .where(and(eq(runs.isOpen, true), eq(runs.organizationId, organizationId)))
    .groupBy(runs.status)
  let pending = 0
  let running = 0
  for (const row of rows) {
    if (row.status === 'planning' || row.status === 'applying') running += row.total
    else if (['pending', 'queuing', 'plan_queued', 'confirmed', 'queuing_apply', 'apply_queued'].includes(row.status)) pending += row.total
  }
  return { pending, running }
}

export const insertLogChunk = async (tx: RunTx, phaseId: string, offset: number, bytes: Buffer): Promise<void> => {
  await tx.insert(tx.t.logChunks).values({ phaseId, offset, bytes })
}

/** Chunks that overlap [from, to), in order, at most `limit`. */
export const listLogChunks = (
  db: Reader,
  phaseId: string,
  from: number,
  to: number,
  limit: number,
): Promise<{ offset: number; bytes: Buffer }[]> => {
  const t = db.t.logChunks
  return Promise.resolve(
    db
      .select({ offset: t.offset, bytes: t.bytes })
      .from(t)
      .where(
        and(
          eq(t.phaseId, phaseId),
          lt(t.offset, to),
          or(
            gt(t.offset, from),
            sql`${t.offset} = (select max(c.offset) from ${t} c where c.phase_id = ${phaseId} and c.offset <= ${from})`,
          ),
        ),
      )
      .orderBy(asc(t.offset))
      .limit(limit),
  )
}

export const deleteLogChunks = async (tx: RunTx, phaseId: string): Promise<void> => {
  await tx.delete(tx.t.logChunks).where(eq(tx.t.logChunks.phaseId, phaseId))
}
