import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { preparedUpdate } from '../../platform/db/prepared-update.ts'
import type { RunTx } from '../../runs/index.ts'
import type { ControllerDeps, JobRow, RunnerTx } from './deps.ts'
import type { RunnerRef } from './placement.ts'

type Db = ControllerDeps['db']

export const AT_WORK = ['starting', 'running'] as const
const OPEN = ['pending', ...AT_WORK] as const

// safe because the composition root opens one database with the tables of every slice
export const withRunnerTables = (tx: unknown): RunnerTx => tx as RunnerTx

export const insertJob = async (tx: RunTx, job: RunnerTx['t']['runnerJobs']['$inferInsert']): Promise<void> => {
  const { t } = withRunnerTables(tx)
  await tx.insert(t.runnerJobs).values(job)
}

/** Those that wait and those at work. */
export const countOpenJobs = (reader: Pick<RunTx, '$count' | 't'>): Promise<number> => {
  const { runnerJobs } = withRunnerTables(reader).t
  return reader.$count(runnerJobs, inArray(runnerJobs.status, [...OPEN]))
}

/** Ends the open jobs of a run; whoever executes them is fenced. Answers their ids. */
export const withdrawJobs = async (tx: RunTx, runId: string, at: Date): Promise<string[]> => {
  const { runnerJobs } = withRunnerTables(tx).t
  const rows = await tx
    .update(runnerJobs)
    .set({ status: 'done', finishedAt: at, owner: null })
    .where(and(eq(runnerJobs.runId, runId), inArray(runnerJobs.status, [...OPEN])))
    .returning({ id: runnerJobs.id })
  return rows.map((row) => row.id)
}

/** Tells whoever is at work on the run. Answers the ids of their jobs. */
export const setCancelMode = async (tx: RunTx, runId: string, mode: 'interrupt' | 'kill'): Promise<string[]> => {
  const { runnerJobs } = withRunnerTables(tx).t
  const rows = await tx
    .update(runnerJobs)
    .set({ cancelMode: mode })
    .where(and(eq(runnerJobs.runId, runId), inArray(runnerJobs.status, [...AT_WORK])))
    .returning({ id: runnerJobs.id })
  return rows.map((row) => row.id)
}

/** Other controllers that have jobs at work. */
export const listOtherOwners = async (db: Db, owner: string): Promise<string[]> => {
  const { runnerJobs } = db.t
  const rows = await db
    .selectDistinct({ owner: runnerJobs.owner })
    .from(runnerJobs)
    .where(and(inArray(runnerJobs.status, [...AT_WORK]), ne(runnerJobs.owner, owner)))
  return rows.flatMap((row) => row.owner ?? [])
}

/** Writes to a job as its owner. Undefined when the job was taken away: the epoch has moved on, or the work was withdrawn. */
export const updateOwnJob = async (
  tx: RunnerTx,
  job: Pick<JobRow, 'id' | 'epoch'>,
  patch: Partial<JobRow>,
): Promise<JobRow | undefined> => {
  const { runnerJobs: t } = tx.t
  const rows = await preparedUpdate<Partial<JobRow>, JobRow[]>(tx, 'runner_update_own_job', {
    patch: { epoch: job.epoch, ...patch },
    values: { id: job.id, epoch: job.epoch },
    build: (db, set) =>
      db
        .update(t)
        .set(set)
        .where(and(eq(t.id, sql.placeholder('id')), eq(t.epoch, sql.placeholder('epoch')), inArray(t.status, [...AT_WORK])))
        .returning(),
  })
  return rows[0]
}

/** Both phases of a run, as far as they were queued. */
export const listJobsOfRun = (db: Db, runId: string): Promise<Pick<JobRow, 'finishedAt' | 'runnerRef'>[]> => {
  const { runnerJobs } = db.t
  return db
    .select({ finishedAt: runnerJobs.finishedAt, runnerRef: runnerJobs.runnerRef })
    .from(runnerJobs)
    .where(eq(runnerJobs.runId, runId))
}

/** Where the plan of the run was made, if a runner made it. */
export const findPlanRunner = async (db: Db, runId: string): Promise<RunnerRef | undefined> => {
  const { runnerJobs } = db.t
  const rows = await db
    .select({ ref: runnerJobs.runnerRef })
    .from(runnerJobs)
    .where(and(eq(runnerJobs.runId, runId), eq(runnerJobs.phase, 'plan')))
  return rows[0]?.ref ?? undefined
}

/** Schemas that were fetched before for this engine and lock file, if they cover the providers. */
export const findSchemas = async (db: Db, key: string, providers: readonly string[]): Promise<string | undefined> => {
  const { providerSchemas } = db.t
  const rows = await db.select().from(providerSchemas).where(eq(providerSchemas.key, key))
  const row = rows[0]
  return row !== undefined && providers.every((name) => row.providers.includes(name)) ? row.blobKey : undefined
}

export const saveSchemas = async (tx: RunnerTx, row: RunnerTx['t']['providerSchemas']['$inferInsert']): Promise<void> => {
  const { providerSchemas } = tx.t
  // Another run may save the same ones at the same time.
  await tx.insert(providerSchemas).values(row).onConflictDoUpdate({ target: providerSchemas.key, set: row })
}

/** Lets another controller take the jobs of this one at once. */
export const releaseJobs = async (tx: RunnerTx, owner: string, now: Date): Promise<void> => {
  const { runnerJobs } = tx.t
  await tx
    .update(runnerJobs)
    .set({ leaseUntil: new Date(now.getTime() - 60_000) })
    .where(and(eq(runnerJobs.owner, owner), inArray(runnerJobs.status, [...AT_WORK])))
}

/** Whether another controller has claimed the job since. A job that is gone, with its run, is nobody's. */
export const isTakenOver = async (db: Db, job: Pick<JobRow, 'id' | 'epoch'>): Promise<boolean> => {
  const { runnerJobs } = db.t
  const [row] = await db.select({ epoch: runnerJobs.epoch }).from(runnerJobs).where(eq(runnerJobs.id, job.id))
  return row !== undefined && row.epoch !== job.epoch
}
