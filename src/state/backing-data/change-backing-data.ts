import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { lockWorkspaceRow } from '../../workspaces/index.ts'
import { findStateVersion, updateStateVersion } from '../queries.ts'
import { findReadable } from '../reads/find-readable.ts'
import type { StateDeps, StateTx, StateVersion } from '../state-version.ts'
import { type BackingDataAction, decideBackingData } from './decide-backing-data.ts'
import { deletePermanently } from './queries.ts'

/**
 * Marks the stored files of a version for deletion, takes that back, or deletes them for good, its outputs included. For owners.
 * Errors: NOT_FOUND, BAD_REQUEST.
 */
export const changeBackingData =
  (deps: Pick<StateDeps, 'db' | 'clock' | 'authorize' | 'runs'>) =>
  async (ctx: Ctx, id: string, action: BackingDataAction): Promise<void> => {
    const { workspaceId } = await findReadable(deps, ctx, id, 'organization:update')
    await deps.db.transaction(async (tx) => {
      const workspace = await lockWorkspaceRow(tx, workspaceId)
      const version = await findStateVersion(tx, id)
      if (workspace === undefined || version === undefined) throw notFound()
      const keptBecause = await whyKept(deps, tx, version, workspace.currentStateVersionId)
      const status = decideBackingData<StateVersion['status']>(action, { status: version.status, stored: 'finalized', keptBecause })
      if (status === 'backing_data_permanently_deleted') return deletePermanently(tx, [id])
      const backingDataDeletedAt = status === 'backing_data_soft_deleted' ? deps.clock.now() : null
      await updateStateVersion(tx, id, { status, backingDataDeletedAt })
    })
  }

const whyKept = async (
  { runs }: Pick<StateDeps, 'runs'>,
  tx: StateTx,
  { id, workspaceId, isIntermediate }: StateVersion,
  currentId: string | null,
): Promise<string | undefined> => {
  if (id === currentId) return 'is current'
  if (isIntermediate) return 'was made under a lock that is still held'
  return (await runs.inputsOfOpenRuns(tx, workspaceId)).includes(id) ? 'is used by a run in progress' : undefined
}
