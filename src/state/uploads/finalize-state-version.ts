import type { StoredBlob } from '../../platform/blobs/store.ts'
import type { WorkspaceRow } from '../../workspaces/index.ts'
import { stateVersionCreated } from '../events.ts'
import type { Analysis } from '../parse/analyse-state.ts'
import type { Processor } from '../processing/make-processor.ts'
import { saveAnalysis } from '../processing/save-analysis.ts'
import { discardPending, updateStateVersion } from '../queries.ts'
import type { StateDeps, StateTx, StateVersion } from '../state-version.ts'

export type FinalizeDeps = StateDeps & { processor: Processor }

/** Bytes that are in the blob store, and what they say if they were small enough to look into at once. */
export type StoredState = { blob: StoredBlob; analysis: Analysis | undefined }

/**
 * The pending version gets its bytes, and is a snapshot until the lock goes. Older uploads that have not come are discarded. The workspace
 * row is locked, the bytes are durable already: no row ever names a blob that is not there.
 */
export const finalizeStateVersion = async (
  deps: FinalizeDeps,
  tx: StateTx,
  workspace: WorkspaceRow,
  pending: StateVersion,
  { blob, analysis }: StoredState,
): Promise<StateVersion> => {
  let version = await updateStateVersion(tx, pending.id, {
    status: 'finalized',
    blobKey: blob.key,
    sizeBytes: blob.bytes,
    finalizedAt: deps.clock.now(),
  })
  if (analysis === undefined) tx.afterCommit(() => deps.processor.enqueue(version.id))
  else version = await saveAnalysis(deps, tx, workspace, version, analysis)
  await discardPending(tx, workspace.id, version.position)
  await deps.outbox.emit(tx, stateVersionCreated(workspace, version))
  return version
}
