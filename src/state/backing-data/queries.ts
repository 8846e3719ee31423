import { and, eq, inArray, isNotNull, lt, notInArray, or } from 'drizzle-orm'
import type { StateDb, StateTx } from '../state-version.ts'

/** Marks the files of final versions made before `before` for deletion, but those of `kept`. */
export const softDeleteOlder = async (
  tx: StateTx,
  { workspaceId, before, kept, now }: { workspaceId: string; before: Date; kept: readonly string[]; now: Date },
): Promise<number> => {
  const { stateVersions } = tx.t
  const marked = await tx
    .update(stateVersions)
    .set({ status: 'backing_data_soft_deleted', backingDataDeletedAt: now })
    .where(
      and(
        eq(stateVersions.workspaceId, workspaceId),
        eq(stateVersions.status, 'finalized'),
        eq(stateVersions.isIntermediate, false),
        lt(stateVersions.createdAt, before),
        kept.length === 0 ? undefined : notInArray(stateVersions.id, [...kept]),
      ),
    )
    .returning({ id: stateVersions.id })
  return marked.length
}

/** Forgets the files of discarded versions: nobody sees those, so there is nothing to restore. */
export const forgetDiscarded = async (tx: StateTx, workspaceId: string, before: Date): Promise<void> => {
  const { stateVersions } = tx.t
  await tx
    .update(stateVersions)
    .set({ blobKey: null, jsonBlobKey: null })
    .where(
      and(
        eq(stateVersions.workspaceId, workspaceId),
        eq(stateVersions.status, 'discarded'),
        lt(stateVersions.createdAt, before),
        or(isNotNull(stateVersions.blobKey), isNotNull(stateVersions.jsonBlobKey)),
      ),
    )
}

/** Some of the versions whose files were marked for deletion before `before`. */
export const listSoftDeleted = async (db: StateDb, before: Date, limit: number): Promise<string[]> => {
  const { stateVersions } = db.t
  const rows = await db
    .select({ id: stateVersions.id })
    .from(stateVersions)
    .where(and(lt(stateVersions.backingDataDeletedAt, before), eq(stateVersions.status, 'backing_data_soft_deleted')))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Forgets files and outputs of those of the versions that are still marked for deletion. */
export const deletePermanently = async (tx: StateTx, ids: readonly string[]): Promise<void> => {
  const { stateVersions, stateOutputs } = tx.t
  const deleted = await tx
    .update(stateVersions)
    .set({ status: 'backing_data_permanently_deleted', backingDataDeletedAt: null, blobKey: null, jsonBlobKey: null })
    .where(and(inArray(stateVersions.id, [...ids]), eq(stateVersions.status, 'backing_data_soft_deleted')))
    .returning({ id: stateVersions.id })
  const gone = deleted.map(({ id }) => id)
  if (gone.length > 0) await tx.delete(stateOutputs).where(inArray(stateOutputs.stateVersionId, gone))
}
