import { and, inArray, lt } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { PlatformTables } from '../db/tables.ts'

const BATCH = 500

/** Deletes jobs that ended before `before`, done or dead; how many. */
export const pruneJobs = async (db: Database<PlatformTables>, before: Date, signal: AbortSignal): Promise<number> => {
  const { jobs } = db.t
  let pruned = 0
  for (;;) {
    signal.throwIfAborted()
    const rows = await db
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(inArray(jobs.status, ['done', 'dead']), lt(jobs.finishedAt, before)))
      .limit(BATCH)
    if (rows.length === 0) return pruned
    const ids = rows.map(({ id }) => id)
    await db.transaction((tx) => tx.delete(tx.t.jobs).where(inArray(tx.t.jobs.id, ids)))
    pruned += ids.length
  }
}
