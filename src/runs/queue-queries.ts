import { and, asc, count, eq, isNull, min, or } from 'drizzle-orm'
import { isAnyOf, textsFor } from '../platform/db/any-of.ts'
import { planPriority } from './decide-queue.ts'
import type { Reader } from './queries.ts'
import type { RunRow } from './run.ts'

/** What the queue of a workspace knows of a run that has not ended. */
export type OpenRun = Pick<RunRow, 'id' | 'workspaceId' | 'position' | 'status' | 'isPlanOnly' | 'isSavePlan' | 'configurationVersionId'>

/** Runs of the workspaces that have not ended, in the order of each queue. */
export const listOpenRunsOf = async (db: Reader, workspaceIds: string[]): Promise<OpenRun[]> => {
  const { runs: t } = db.t
  const prepared = db.prepare('runs_list_open', (q) =>
    q
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
      .where(and(eq(t.isOpen, true), isAnyOf(db.dialect, t.workspaceId, 'workspaceIds')))
      .orderBy(asc(t.position)),
  )
  return prepared.execute({ workspaceIds: textsFor(db.dialect, workspaceIds) })
}

export type WorkspaceLock = { id: string; lockedById: string | null; lockedReason: string }

export const listLocksOf = async (db: Reader, workspaceIds: string[]): Promise<WorkspaceLock[]> => {
  const { workspaces: t } = db.t
  const prepared = db.prepare('runs_list_locks', (q) =>
    q
      .select({ id: t.id, lockedById: t.lockedById, lockedReason: t.lockedReason })
      .from(t)
      .where(isAnyOf(db.dialect, t.id, 'ids')),
  )
  return prepared.execute({ ids: textsFor(db.dialect, workspaceIds) })
}

/** Those of the versions that have their content. */
export const listUploadedOf = async (db: Reader, configurationVersionIds: string[]): Promise<string[]> => {
  const { configurationVersions: t } = db.t
  const prepared = db.prepare('runs_list_uploaded', (q) =>
    q
      .select({ id: t.id })
      .from(t)
      .where(and(isAnyOf(db.dialect, t.id, 'ids'), eq(t.status, 'uploaded'))),
  )
  const rows = await prepared.execute({ ids: textsFor(db.dialect, configurationVersionIds) })
  return rows.map(({ id }) => id)
}

/** Pending runs of one workspace that could start, at most so many, and since when the first of them waits. */
export type WaitingRuns = { workspaceId: string; organizationId: string; priority: number; count: number; since: Date }

/** Those that could start, going by the lock and the configuration; none of a workspace where all have to wait. */
export const listWaitingRuns = async (db: Pick<Reader, 'prepare' | 't'>): Promise<WaitingRuns[]> => {
  const { runs, workspaces, configurationVersions } = db.t
  const { workspaceId, organizationId, isPlanOnly } = runs
  const prepared = db.prepare('runs_list_waiting', (q) =>
    q
      .select({ workspaceId, organizationId, isPlanOnly, count: count(), since: min(runs.createdAt) })
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
      .groupBy(workspaceId, organizationId, isPlanOnly),
  )
  const rows = await prepared.execute()
  return rows.map(({ since, isPlanOnly, ...waiting }) => ({ ...waiting, priority: planPriority(isPlanOnly), since: since ?? new Date(0) }))
}
