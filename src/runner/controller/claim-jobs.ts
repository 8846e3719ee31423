import { and, asc, count, eq, inArray, lt, ne, notInArray, or, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { JobRow, RunnerTx } from './deps.ts'
import { AT_WORK } from './queries.ts'

/**
 * Takes the next pending job, or nothing: applies before plans before speculative plans, and of those the job of whoever has least at work,
 * organization first, then workspace. One organization with a thousand runs does not keep another one waiting. Runs of `busy` are left out.
 */
export const claimPendingJob = async (tx: RunnerTx, owner: string, leaseUntil: Date, busy: string[]): Promise<JobRow | undefined> => {
  const { runnerJobs } = tx.t
  const atWork = await tx
    .select({ organizationId: runnerJobs.organizationId, workspaceId: runnerJobs.workspaceId, count: count() })
    .from(runnerJobs)
    .where(inArray(runnerJobs.status, [...AT_WORK]))
    .groupBy(runnerJobs.organizationId, runnerJobs.workspaceId)
  const next = await tx.forUpdate(
    tx
      .select()
      .from(runnerJobs)
      .where(and(eq(runnerJobs.status, 'pending'), notInArray(runnerJobs.runId, busy)))
      .orderBy(
        asc(runnerJobs.priority),
        asc(load(runnerJobs.organizationId, atWork, ({ organizationId }) => organizationId)),
        asc(load(runnerJobs.workspaceId, atWork, ({ workspaceId }) => workspaceId)),
        asc(runnerJobs.createdAt),
        asc(runnerJobs.id),
      )
      .limit(1),
    { skipLocked: true },
  )
  const job = next[0]
  if (job === undefined) return undefined
  const rows = await tx
    .update(runnerJobs)
    .set({ status: 'starting', owner, leaseUntil, epoch: job.epoch + 1 })
    .where(and(eq(runnerJobs.id, job.id), eq(runnerJobs.status, 'pending')))
    .returning()
  return rows[0]
}

/** How many jobs are at work for the value of the column: few, as the capacity of the servers is. */
const load = <Row extends { count: number }>(column: SQLWrapper, rows: readonly Row[], keyOf: (row: Row) => string): SQL => {
  const totals = new Map<string, number>()
  for (const row of rows) totals.set(keyOf(row), (totals.get(keyOf(row)) ?? 0) + row.count)
  const cases = [...totals].map(([key, total]) => sql`when ${column} = ${key} then ${sql.raw(String(total))}`)
  return cases.length === 0 ? sql`(select 0)` : sql`case ${sql.join(cases, sql` `)} else 0 end`
}

type Orphans = {
  owner: string
  now: Date
  leaseUntil: Date
  /** No other controller can be alive. */
  isAlone: boolean
  /** Controllers that are known to be gone. */
  gone: readonly string[]
  /** Jobs that this controller is at work on. */
  activeIds: readonly string[]
  /** No capacity for more than ending what was force-canceled. */
  isFull: boolean
}

/**
 * Takes over a job that nobody is at work on: its controller is gone, its lease has run out, or it waits here for another try and was
 * force-canceled meanwhile.
 */
export const claimOrphanedJob = async (
  tx: RunnerTx,
  { owner, now, leaseUntil, isAlone, gone, activeIds, isFull }: Orphans,
): Promise<JobRow | undefined> => {
  const { runnerJobs } = tx.t
  const isKilled = eq(runnerJobs.cancelMode, 'kill')
  const isLeft = or(
    isAlone ? ne(runnerJobs.owner, owner) : lt(runnerJobs.leaseUntil, now),
    inArray(runnerJobs.owner, [...gone]),
    and(eq(runnerJobs.owner, owner), isKilled, notInArray(runnerJobs.id, [...activeIds])),
  )
  const next = await tx.forUpdate(
    tx
      .select()
      .from(runnerJobs)
      .where(and(inArray(runnerJobs.status, [...AT_WORK]), isLeft, isFull ? isKilled : undefined))
      .orderBy(asc(runnerJobs.createdAt))
      .limit(1),
    { skipLocked: true },
  )
  const job = next[0]
  if (job === undefined) return undefined
  const rows = await tx
    .update(runnerJobs)
    .set({ owner, leaseUntil, epoch: job.epoch + 1 })
    .where(and(eq(runnerJobs.id, job.id), eq(runnerJobs.epoch, job.epoch)))
    .returning()
  return rows[0]
}
