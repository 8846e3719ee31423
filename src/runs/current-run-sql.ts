import { inArray, sql } from 'drizzle-orm'
import type { CurrentRunSql } from '../workspaces/index.ts'
import type { RunDb } from './run.ts'
import { runStatuses } from './statuses.ts'

/** What the list of workspaces asks of the current run of each, inside its own query. */
export const makeCurrentRunSql = (db: RunDb): CurrentRunSql => {
  const { runs } = db.t
  return {
    hasStatus: (runId, statuses) => {
      const known = runStatuses.filter((status) => statuses.includes(status))
      return known.length === 0
        ? sql`1 = 0`
        : sql`exists (select 1 from ${runs} where ${runs.id} = ${runId} and ${inArray(runs.status, known)})`
    },
    createdAt: (runId) => sql`(select ${runs.createdAt} from ${runs} where ${runs.id} = ${runId})`,
  }
}
