import { deleteWorkspaceRow } from './queries.ts'
import { dropUnusedTags, listBindings } from './tags/queries.ts'
import type { WorkspaceDeps, WorkspaceRow, WorkspaceTx } from './workspace.ts'

/** Deletes the workspace with all that belongs to it (cascade), and the tags that nothing else carries. */
export const removeWorkspace = async ({ outbox }: Pick<WorkspaceDeps, 'outbox'>, tx: WorkspaceTx, row: WorkspaceRow): Promise<void> => {
  const bindings = await listBindings(tx, [row.id])
  await deleteWorkspaceRow(tx, row.id)
  await dropUnusedTags(
    tx,
    row.organizationId,
    bindings.map(({ key }) => key),
  )
  await outbox.emit(tx, { type: 'workspace.deleted', subject: row.id, organizationId: row.organizationId, version: row.version + 1 })
}
