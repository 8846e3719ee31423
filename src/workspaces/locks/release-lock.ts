import { updateWorkspaceRow } from '../queries.ts'
import type { WorkspaceDeps, WorkspaceRow, WorkspaceTx } from '../workspace.ts'

/** Takes the lock off a workspace whose row the transaction has locked; the newest snapshot of its state becomes current before. */
export const releaseLock = async (
  { outbox, ports }: Pick<WorkspaceDeps, 'outbox' | 'ports'>,
  tx: WorkspaceTx,
  row: WorkspaceRow,
): Promise<WorkspaceRow> => {
  await ports.stateOf.onUnlock(tx, row.id)
  const unlocked = await updateWorkspaceRow(tx, row.id, { lockedByKind: null, lockedById: null, lockedReason: '' })
  await outbox.emit(tx, {
    type: 'workspace.unlocked',
    subject: row.id,
    organizationId: row.organizationId,
    version: unlocked.version,
    payload: { by: row.lockedByKind, byId: row.lockedById },
  })
  return unlocked
}
