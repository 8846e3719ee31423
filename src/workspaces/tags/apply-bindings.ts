import type { BindingChanges } from '../../organizations/index.ts'
import { newId } from '../../platform/ids.ts'
import type { WorkspaceRow, WorkspaceTx } from '../workspace.ts'
import { deleteBindings, dropUnusedTags, ensureTags, insertBindings, listBindings, updateBindingValue } from './queries.ts'

/** Writes the changes for a workspace whose row the transaction has locked. Every key is a tag of the organization as long as it is carried. */
export const applyBindings = async (
  tx: WorkspaceTx,
  workspace: WorkspaceRow,
  { added, changed, removed }: BindingChanges,
): Promise<void> => {
  if (added.length > 0) {
    const last = (await listBindings(tx, [workspace.id])).at(-1)?.position ?? 0
    await ensureTags(
      tx,
      workspace.organizationId,
      added.map(({ key }) => key),
    )
    await insertBindings(
      tx,
      added.map(({ key, value }, index) => ({ id: newId('tb'), workspaceId: workspace.id, key, value, position: last + index + 1 })),
    )
  }
  for (const { key, value } of changed) await updateBindingValue(tx, workspace.id, key, value)
  await deleteBindings(tx, workspace.id, removed)
  await dropUnusedTags(tx, workspace.organizationId, removed)
}
