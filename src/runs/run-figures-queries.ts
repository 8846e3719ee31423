import { and, desc, eq, inArray } from 'drizzle-orm'
import type { RunFigures } from '../workspaces/index.ts'
import type { RunRow, RunTx } from './run.ts'

/** The newest runs of the workspace that were applied or failed. */
export const listLastEnded = (tx: RunTx, workspaceId: string, limit: number): Promise<Pick<RunRow, 'status' | 'statusTimestamps'>[]> => {
  const { runs } = tx.t
  return Promise.resolve(
    tx
      .select({ status: runs.status, statusTimestamps: runs.statusTimestamps })
      .from(runs)
      .where(and(eq(runs.workspaceId, workspaceId), inArray(runs.status, ['applied', 'errored'])))
      .orderBy(desc(runs.position))
      .limit(limit),
  )
}

export const setRunFigures = async (tx: RunTx, workspaceId: string, runFigures: RunFigures): Promise<void> => {
  await tx.update(tx.t.workspaces).set({ runFigures }).where(eq(tx.t.workspaces.id, workspaceId))
}
