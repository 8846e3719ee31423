import { updateWorkspaceRow } from '../queries.ts'
import type { LockedBy, WorkspaceDeps, WorkspaceRow, WorkspaceTx } from '../workspace.ts'

/** Writes the lock of a free workspace whose row the transaction has locked. */
export const takeLock = async (
  { outbox }: Pick<WorkspaceDeps, 'outbox'>,
  tx: WorkspaceTx,
  row: WorkspaceRow,
  by: LockedBy,
  reason: string,
): Promise<WorkspaceRow> => {
  const locked = await updateWorkspaceRow(tx, row.id, { lockedByKind: by.kind, lockedById: by.id, lockedReason: reason })
  await outbox.emit(tx, {
    type: 'workspace.locked',
    subject: row.id,
    organizationId: row.organizationId,
    version: locked.version,
    payload: { by: by.kind, byId: by.id },
  })
  return locked
}
