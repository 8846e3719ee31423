import { and, eq, isNotNull } from 'drizzle-orm'
import type { RunDb, RunTx } from './run.ts'

/** What states need to know of runs. Their transactions do not know the tables of runs: these come from `db`. */
export const makeStatePort = ({ t: { runs } }: Pick<RunDb, 't'>) => ({
  /** The state versions that runs in progress of the workspace began with. */
  inputsOfOpenRuns: async (tx: Pick<RunTx, 'select'>, workspaceId: string): Promise<string[]> => {
    const rows = await tx
      .select({ id: runs.inputStateVersionId })
      .from(runs)
      .where(and(eq(runs.workspaceId, workspaceId), eq(runs.isOpen, true), isNotNull(runs.inputStateVersionId)))
    return rows.flatMap(({ id }) => id ?? [])
  },
  isRunOf: async (reader: Pick<RunTx, 'select'>, workspaceId: string, runId: string): Promise<boolean> => {
    const rows = await reader
      .select({ id: runs.id })
      .from(runs)
      .where(and(eq(runs.id, runId), eq(runs.workspaceId, workspaceId)))
    return rows.length > 0
  },
})
