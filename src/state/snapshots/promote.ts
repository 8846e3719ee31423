import { updateWorkspaceRow, type WorkspaceRow } from '../../workspaces/index.ts'
import { stateVersionPromoted } from '../events.ts'
import type { Processor } from '../processing/make-processor.ts'
import { discardSnapshots, updateStateVersion } from '../queries.ts'
import type { StateDeps, StateTx, StateVersion } from '../state-version.ts'

export type PromoteDeps = Pick<StateDeps, 'clock' | 'outbox'> & { processor: Processor }

/** Makes a snapshot the current version. All others, and uploads that did not come, are discarded; their bytes are kept. The workspace row is locked. */
export const promote = async (
  { clock, outbox, processor }: PromoteDeps,
  tx: StateTx,
  workspace: WorkspaceRow,
  snapshot: StateVersion,
): Promise<void> => {
  await discardSnapshots(tx, workspace.id)
  const version = await updateStateVersion(tx, snapshot.id, { status: 'finalized', isIntermediate: false })
  await updateWorkspaceRow(tx, workspace.id, {
    currentStateVersionId: version.id,
    latestChangeAt: clock.now(),
    // unknown (not looked into yet, or encrypted): the old count stands
    ...(version.managedCount === null ? {} : { resourceCount: version.managedCount }),
  })
  if (!version.areResourcesProcessed) tx.afterCommit(() => processor.enqueue(version.id))
  await outbox.emit(tx, stateVersionPromoted(workspace, version))
}
