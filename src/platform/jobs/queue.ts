import { and, eq } from 'drizzle-orm'
import type { Tx } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'
import { newId } from '../ids.ts'

export type JobPayload = Record<string, string | number | boolean | null>

export type NewJob = {
  queue: string
  /** Unique among the open jobs of the queue. */
  key?: string
  payload: JobPayload
  /** Now by default. */
  runAt?: Date
  /** 10 by default; then the job is dead. */
  maxAttempts?: number
}

export type JobStatus = 'queued' | 'running' | 'done' | 'dead'

const MAX_TRIES = 5

/**
 * Adds a job in the transaction of the change that needs it. With a `key` it is a no-op while a job of that key waits; while one runs,
 * which may have read too early, that one is run once more after it ends.
 */
export const enqueueJob = async (tx: Tx<PlatformTables>, job: NewJob, now: Date): Promise<void> => {
  const { jobs } = tx.t
  const { queue, key = null, payload, runAt = now, maxAttempts = 10 } = job
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const inserted = await tx
      .insert(jobs)
      .values({ id: newId('job'), queue, openKey: key, payload, status: 'queued', runAt, attempts: 0, maxAttempts, createdAt: now })
      .onConflictDoNothing()
      .returning({ id: jobs.id })
    if (inserted.length > 0 || key === null) return
    const [open] = await tx.forUpdate(
      tx
        .select()
        .from(jobs)
        .where(and(eq(jobs.queue, queue), eq(jobs.openKey, key))),
    )
    // ended since the insert was refused
    if (open === undefined) continue
    if (open.status === 'running') {
      // a time other than the one it was claimed with tells the worker to queue it again, see decide-end.ts
      const again = new Date(Math.max(runAt.getTime(), open.runAt.getTime() + 1))
      await tx.update(jobs).set({ runAt: again, payload }).where(eq(jobs.id, open.id))
    }
    return
  }
  throw new Error(`job ${queue}/${key} could not be added: it ends and begins all the time`)
}
