import { bindingLimit, decideBindings, readBindings } from '../../organizations/index.ts'
import type { WorkspaceRow, WorkspaceTx } from '../workspace.ts'
import { applyBindings } from './apply-bindings.ts'
import { listBindings } from './queries.ts'

/** The workspace, whose row is locked, carries exactly these bindings afterwards. Throws INVALID. */
export const replaceBindings = async (
  tx: WorkspaceTx,
  workspace: WorkspaceRow,
  sent: Parameters<typeof readBindings>[0],
): Promise<void> => {
  const existing = await listBindings(tx, [workspace.id])
  await applyBindings(tx, workspace, decideBindings(existing, readBindings(sent), 'replace', bindingLimit))
}
