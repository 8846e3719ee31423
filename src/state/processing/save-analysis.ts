import { updateWorkspaceRow, type WorkspaceRow } from '../../workspaces/index.ts'
import { sealOutputs } from '../outputs/seal-outputs.ts'
import type { Analysis } from '../parse/analyse-state.ts'
import { countOutputs, insertOutputs, updateStateVersion } from '../queries.ts'
import type { StateDeps, StateTx, StateVersion } from '../state-version.ts'

/**
 * Writes what a look into the bytes has shown. Outputs that came with the upload (`json-state-outputs`) stay: their ids are known already.
 * The workspace row is locked; when the version is its current one, its resources are counted anew.
 */
export const saveAnalysis = async (
  { envelope }: Pick<StateDeps, 'envelope'>,
  tx: StateTx,
  workspace: WorkspaceRow,
  version: StateVersion,
  { columns, lineage, outputs }: Analysis,
): Promise<StateVersion> => {
  if ((await countOutputs(tx, version.id)) === 0) await insertOutputs(tx, sealOutputs(envelope, version.id, outputs))
  const saved = await updateStateVersion(tx, version.id, {
    ...columns,
    lineage: version.lineage === '' ? (lineage ?? '') : version.lineage,
  })
  if (workspace.currentStateVersionId === version.id && saved.managedCount !== null) {
    await updateWorkspaceRow(tx, workspace.id, { resourceCount: saved.managedCount })
  }
  return saved
}
