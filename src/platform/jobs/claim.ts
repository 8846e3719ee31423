import { and, asc, eq, inArray, lte, or, type Param, type Placeholder, sql } from 'drizzle-orm'
import type { Database, Tx } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'
import { CLOCK_MARGIN_MS } from '../leases.ts'

export type ClaimedJob = PlatformTables['jobs']['$inferSelect']

/** Waiting and due, or running with a lease that has ended: its worker is gone. */
const isDue = ({ jobs }: PlatformTables, queue: string | Placeholder, now: Date | Param, expired: Date | Param) =>
  or(
    and(eq(jobs.status, 'queued'), eq(jobs.queue, queue), lte(jobs.runAt, now)),
    and(eq(jobs.status, 'running'), eq(jobs.queue, queue), lte(jobs.leaseUntil, expired)),
  )

/** Leases that ended before have ended by the clock of every server. */
const expiredAt = (now: Date): Date => new Date(now.getTime() - CLOCK_MARGIN_MS)

export const hasDueJobs = async (db: Database<PlatformTables>, queue: string, now: Date): Promise<boolean> => {
  const { jobs } = db.t
  const at = (name: string): Param => sql.param(sql.placeholder(name), jobs.runAt)
  const prepared = db.prepare('jobs_due', (q) =>
    q
      .select({ id: jobs.id })
      .from(jobs)
      .where(isDue(db.t, sql.placeholder('queue'), at('now'), at('expired')))
      .limit(1),
  )
  return (await prepared.execute({ queue, now, expired: expiredAt(now) })).length > 0
}

type Claim = { queue: string; limit: number; owner: string; now: Date; leaseMs: number }

/** Takes up to `limit` due jobs, oldest first. Those whose worker died on their last attempt become dead instead. */
export const claimJobs = async (tx: Tx<PlatformTables>, { queue, limit, owner, now, leaseMs }: Claim): Promise<ClaimedJob[]> => {
  const { jobs } = tx.t
  const query = tx
    .select()
    .from(jobs)
    .where(isDue(tx.t, queue, now, expiredAt(now)))
    .orderBy(asc(jobs.runAt), asc(jobs.createdAt))
    .limit(limit)
  const due = await tx.forUpdate(query, { skipLocked: true })
  const idsOf = (rows: ClaimedJob[]): string[] => rows.map((row) => row.id)
  const spent = due.filter((job) => job.attempts >= job.maxAttempts)
  if (spent.length > 0) {
    await tx
      .update(jobs)
      .set({
        status: 'dead',
        openKey: null,
        owner: null,
        leaseUntil: null,
        finishedAt: now,
        lastError: 'the worker died during the last attempt',
      })
      .where(inArray(jobs.id, idsOf(spent)))
  }
  const runnable = due.filter((job) => job.attempts < job.maxAttempts)
  if (runnable.length === 0) return []
  return tx
    .update(jobs)
    .set({ status: 'running', owner, leaseUntil: new Date(now.getTime() + leaseMs), attempts: sql`${jobs.attempts} + 1` })
    .where(inArray(jobs.id, idsOf(runnable)))
    .returning()
}

/** Extends the lease of a job of ours. False when it is no longer ours. */
export const extendJob = async (tx: Tx<PlatformTables>, id: string, owner: string, until: Date): Promise<boolean> => {
  const { jobs } = tx.t
  const mine = and(eq(jobs.id, id), eq(jobs.owner, owner))
  const extended = await tx.update(jobs).set({ leaseUntil: until }).where(mine).returning({ id: jobs.id })
  return extended.length > 0
}
