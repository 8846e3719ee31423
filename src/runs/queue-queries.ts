import { and, asc, eq, inArray, isNull, or } from 'drizzle-orm'
import type { Reader } from './queries.ts'
import type { RunDb, RunRow } from './run.ts'

/** What the queue of a workspace knows of a run that has not ended. */
export type OpenRun = Pick<RunRow, 'id' | 'workspaceId' | 'position' | 'status' | 'isPlanOnly' | 'isSavePlan' | 'configurationVersionId'>

/** Runs of the workspaces that have not ended, in the order of each queue. */
export const listOpenRunsOf = async (db: Reader, workspaceIds: string[]): Promise<OpenRun[]> => {
  const { runs: t } = db.t
  return db
    .select({
      id: t.id,
      workspaceId: t.workspaceId,
      position: t.position,
      status: t.status,
      isPlanOnly: t.isPlanOnly,
      isSavePlan: t.isSavePlan,
      configurationVersionId: t.configurationVersionId,
    })
    .from(t)
    .where(and(eq(t.isOpen, true), inArray(t.workspaceId, workspaceIds)))
    .orderBy(asc(t.position))
}

export type WorkspaceLock = { id: string; lockedById: string | null; lockedReason: string }

export const listLocksOf = async (db: Reader, workspaceIds: string[]): Promise<WorkspaceLock[]> => {
  const { workspaces: t } = db.t
  return db.select({ id: t.id, lockedById: t.lockedById, lockedReason: t.lockedReason }).from(t).where(inArray(t.id, workspaceIds))
}

/** Those of the versions that have their content. */
export const listUploadedOf = async (db: Reader, configurationVersionIds: string[]): Promise<string[]> => {
  const { configurationVersions: t } = db.t
  const rows = await db
    .select({ id: t.id })
    .from(t)
    .where(and(inArray(t.id, configurationVersionIds), eq(t.status, 'uploaded')))
  return rows.map(({ id }) => id)
}

/** Workspaces where a pending run could start, going by the lock and the configuration: not those where all have to wait. */
export const listWorkspacesToAdvance = async (db: RunDb): Promise<string[]> => {
  const { runs, workspaces, configurationVersions } = db.t
  const rows = await db
    .selectDistinct({ workspaceId: runs.workspaceId })
    .from(runs)
    .innerJoin(workspaces, eq(workspaces.id, runs.workspaceId))
    .innerJoin(configurationVersions, eq(configurationVersions.id, runs.configurationVersionId))
    .where(
      and(
        eq(runs.isOpen, true),
        eq(runs.status, 'pending'),
        eq(configurationVersions.status, 'uploaded'),
        or(isNull(workspaces.lockedById), runs.isPlanOnly, runs.isSavePlan),
      ),
    )
  return rows.map((row) => row.workspaceId)
}
