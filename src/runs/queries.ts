import { and, asc, eq, inArray, lt, or, sql } from 'drizzle-orm'
import { updateById } from '../platform/db/prepared-update.ts'
import { notFound } from '../platform/errors.ts'
import { lockWorkspaceRow, type WorkspaceRow } from '../workspaces/index.ts'
import type { PhaseRow, RunDb, RunRow, RunTx } from './run.ts'

export type Reader = Pick<RunDb, 'select' | '$count' | 'prepare' | 't' | 'dialect'>

export const findWorkspace = async (db: Reader, id: string): Promise<WorkspaceRow | undefined> => {
  const { workspaces } = db.t
  const prepared = db.prepare('runs_find_workspace', (q) =>
    q
      .select()
      .from(workspaces)
      .where(eq(workspaces.id, sql.placeholder('id'))),
  )
  return (await prepared.execute({ id }))[0]
}

/** First in every transaction that changes something of the workspace. Throws NOT_FOUND. */
export const lockWorkspace = async (tx: RunTx, id: string): Promise<WorkspaceRow> => {
  const row = await lockWorkspaceRow(tx, id)
  if (row === undefined) throw notFound()
  return row
}

export const saveWorkspace = async (
  tx: RunTx,
  id: string,
  patch: Partial<Pick<WorkspaceRow, 'currentRunId' | 'currentConfigurationVersionId'>>,
): Promise<void> => {
  await updateById(tx, 'runs_save_workspace', { table: tx.t.workspaces, id, patch })
}

/** The workspace's own execution mode, or its organization's. */
export const findExecutionMode = async (db: Reader, workspace: WorkspaceRow): Promise<string | undefined> => {
  if (workspace.executionMode !== null) return workspace.executionMode
  const { organizations } = db.t
  const rows = await db
    .select({ mode: organizations.defaultExecutionMode })
    .from(organizations)
    .where(eq(organizations.id, workspace.organizationId))
  return rows[0]?.mode
}

export const findOrganizationId = async (db: Reader, name: string): Promise<string | undefined> => {
  const { organizations } = db.t
  const rows = await db.select({ id: organizations.id }).from(organizations).where(eq(organizations.nameKey, name.toLowerCase()))
  return rows[0]?.id
}

/** Organization of each workspace. */
export const listOrganizationIds = async (db: Reader, workspaceIds: string[]): Promise<Map<string, string>> => {
  const t = db.t.workspaces
  const rows = await db.select({ id: t.id, organizationId: t.organizationId }).from(t).where(inArray(t.id, workspaceIds))
  return new Map(rows.map((row) => [row.id, row.organizationId]))
}

/** The workspace with its project and the name of its organization. */
export const findSurroundings = async (db: Reader, workspaceId: string) => {
  const { workspaces, organizations, projects } = db.t
  const prepared = db.prepare('runs_find_surroundings', (q) =>
    q
      .select({
        workspace: workspaces,
        organizationName: organizations.name,
        organizationSettings: organizations.settings,
        project: { id: projects.id, name: projects.name },
      })
      .from(workspaces)
      .innerJoin(organizations, eq(organizations.id, workspaces.organizationId))
      .innerJoin(projects, eq(projects.id, workspaces.projectId))
      .where(eq(workspaces.id, sql.placeholder('workspaceId'))),
  )
  return (await prepared.execute({ workspaceId }))[0]
}

/** Bytes of a state version; undefined when there are none. */
export const findStateBlob = async (db: Reader, stateVersionId: string): Promise<{ blobKey: string; sizeBytes: number } | undefined> => {
  const t = db.t.stateVersions
  const [row] = await db.select({ blobKey: t.blobKey, sizeBytes: t.sizeBytes }).from(t).where(eq(t.id, stateVersionId))
  return row === undefined || row.blobKey === null ? undefined : { blobKey: row.blobKey, sizeBytes: row.sizeBytes ?? 0 }
}

export const findRun = async (db: Reader, id: string): Promise<RunRow | undefined> => {
  const { runs } = db.t
  const prepared = db.prepare('runs_find', (q) =>
    q
      .select()
      .from(runs)
      .where(eq(runs.id, sql.placeholder('id'))),
  )
  return (await prepared.execute({ id }))[0]
}

export const listRunsById = (db: Reader, ids: string[]): Promise<RunRow[]> =>
  ids.length === 0 ? Promise.resolve([]) : Promise.resolve(db.select().from(db.t.runs).where(inArray(db.t.runs.id, ids)))

/** The run and its workspace, whose row is locked before the run is read: the one lock order. Undefined when it is gone. */
export const lockRun = async (tx: RunTx, id: string): Promise<{ run: RunRow; workspace: WorkspaceRow } | undefined> => {
  const seen = await findRun(tx, id)
  const workspace = seen === undefined ? undefined : await lockWorkspaceRow(tx, seen.workspaceId)
  const run = workspace === undefined ? undefined : await findRun(tx, id)
  return workspace === undefined || run === undefined ? undefined : { run, workspace }
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
  await updateById(tx, 'runs_save', { table: tx.t.runs, id, patch })
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

/** Saved plans of the workspace that wait for somebody to apply them. */
export const listSavedPlans = (tx: RunTx, workspaceId: string): Promise<RunRow[]> => {
  const { runs } = tx.t
  const isSaved = and(eq(runs.isOpen, true), eq(runs.status, 'planned_and_saved'))
  return Promise.resolve(
    tx
      .select()
      .from(runs)
      .where(and(eq(runs.workspaceId, workspaceId), isSaved)),
  )
}

/** Workspaces with a saved plan that is older than `before`, or was made on another state than the current one. */
export const listWorkspacesWithSpentPlans = async (db: RunDb, before: Date): Promise<string[]> => {
  const { runs, workspaces } = db.t
  const isSaved = and(eq(runs.isOpen, true), eq(runs.status, 'planned_and_saved'))
  const isStale = sql`coalesce(${runs.inputStateVersionId}, '') <> coalesce(${workspaces.currentStateVersionId}, '')`
  const rows = await db
    .selectDistinct({ workspaceId: runs.workspaceId })
    .from(runs)
    .innerJoin(workspaces, eq(workspaces.id, runs.workspaceId))
    .where(and(isSaved, or(lt(runs.createdAt, before), isStale)))
  return rows.map(({ workspaceId }) => workspaceId)
}

export const listPhases = (db: Reader, runId: string): Promise<PhaseRow[]> => {
  const { phases } = db.t
  const prepared = db.prepare('runs_list_phases', (q) =>
    q
      .select()
      .from(phases)
      .where(eq(phases.runId, sql.placeholder('runId'))),
  )
  return prepared.execute({ runId })
}

export const findPhase = async (db: Reader, id: string): Promise<PhaseRow | undefined> => {
  const { phases } = db.t
  const prepared = db.prepare('runs_find_phase', (q) =>
    q
      .select()
      .from(phases)
      .where(eq(phases.id, sql.placeholder('id'))),
  )
  return (await prepared.execute({ id }))[0]
}

export const listPhasesById = (db: Reader, ids: string[]): Promise<PhaseRow[]> =>
  Promise.resolve(db.select().from(db.t.phases).where(inArray(db.t.phases.id, ids)))

export const savePhase = async (tx: RunTx, id: string, patch: Partial<PhaseRow>): Promise<void> => {
  await updateById(tx, 'runs_save_phase', { table: tx.t.phases, id, patch })
}

/** State versions that the runs have written, oldest first. */
export const listStateVersionIds = async (db: Reader, runIds: string[]): Promise<{ id: string; runId: string }[]> => {
  const t = db.t.stateVersions
  const rows = await db.select({ id: t.id, runId: t.runId }).from(t).where(inArray(t.runId, runIds)).orderBy(asc(t.position))
  return rows.flatMap(({ id, runId }) => (runId === null ? [] : [{ id, runId }]))
}
