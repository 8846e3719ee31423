import { and, eq, lt, notInArray } from 'drizzle-orm'
import type { RunTx } from '../run.ts'

/** Marks the archives of versions made before `before` for deletion, but those of `kept` and those that a run in progress uses. */
export const softDeleteOlder = async (
  tx: RunTx,
  { workspaceId, before, kept, now }: { workspaceId: string; before: Date; kept: readonly string[]; now: Date },
): Promise<number> => {
  const { configurationVersions, runs } = tx.t
  // a run of any workspace: configurations can be promoted
  const used = tx.select({ id: runs.configurationVersionId }).from(runs).where(eq(runs.isOpen, true))
  const marked = await tx
    .update(configurationVersions)
    .set({ status: 'backing_data_soft_deleted', backingDataDeletedAt: now })
    .where(
      and(
        eq(configurationVersions.workspaceId, workspaceId),
        eq(configurationVersions.status, 'uploaded'),
        lt(configurationVersions.createdAt, before),
        notInArray(configurationVersions.id, used),
        kept.length === 0 ? undefined : notInArray(configurationVersions.id, [...kept]),
      ),
    )
    .returning({ id: configurationVersions.id })
  return marked.length
}

/** Forgets the archives of all versions that were marked for deletion before `before`; how many. */
export const deletePermanentlyBefore = async (tx: RunTx, before: Date): Promise<number> => {
  const t = tx.t.configurationVersions
  const deleted = await tx
    .update(t)
    .set({ status: 'backing_data_permanently_deleted', backingDataDeletedAt: null, blobKey: null, sizeBytes: null })
    .where(and(lt(t.backingDataDeletedAt, before), eq(t.status, 'backing_data_soft_deleted')))
    .returning({ id: t.id })
  return deleted.length
}
