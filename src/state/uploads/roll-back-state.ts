import type { Ctx } from '../../platform/context.ts'
import { AppError, conflict, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { findAllowed, holdsLock, lockWorkspaceRow, type WorkspaceRow } from '../../workspaces/index.ts'
import { decideLock } from '../decide-state-version.ts'
import { replaceSerial } from '../parse/replace-serial.ts'
import { findStateVersion, findTip, insertStateVersion } from '../queries.ts'
import { isStored, type StateVersion } from '../state-version.ts'
import { type FinalizeDeps, finalizeStateVersion } from './finalize-state-version.ts'
import { storeState } from './store-state.ts'

const checkLock = (ctx: Ctx, workspace: WorkspaceRow): void => {
  const decision = decideLock({ isLocked: workspace.lockedByKind !== null, isLockedByCaller: holdsLock(workspace, ctx.actor) })
  if (decision.kind === 'refused') throw conflict(decision.detail)
}

/**
 * A copy of an older version as the newest one. The next serial stands in the row and inside the copy: otherwise the state that
 * Terraform writes next would be older than this one. Errors: NOT_FOUND, CONFLICT (lock), PRECONDITION_FAILED.
 */
export const rollBackState =
  (deps: FinalizeDeps) =>
  async (ctx: Ctx, workspaceId: string, stateVersionId: string): Promise<StateVersion> => {
    const { db, blobs, clock } = deps
    const { row } = await findAllowed(deps, ctx, db, { id: workspaceId }, 'state:write')
    checkLock(ctx, row)
    const target = await findStateVersion(db, stateVersionId)
    if (!isStored(target) || target.status !== 'finalized' || target.workspaceId !== row.id) {
      throw notFound('The state version to go back to does not exist in this workspace.')
    }
    const tip = (await findTip(db, row.id)) ?? target
    const serial = tip.serial + 1
    const stored = await storeState(deps, ...replaceSerial(await blobs.read(target.blobKey), serial))

    return db.transaction(async (tx) => {
      const workspace = await lockWorkspaceRow(tx, row.id)
      if (workspace === undefined) throw notFound()
      checkLock(ctx, workspace)
      if ((await findTip(tx, row.id))?.id !== tip.id)
        throw new AppError('PRECONDITION_FAILED', 'Another state was uploaded meanwhile. Look at it and repeat.')
      const pending = await insertStateVersion(tx, {
        id: newId('sv'),
        workspaceId: row.id,
        runId: null,
        createdByUserId: ctx.actor.kind === 'user' ? ctx.actor.userId : null,
        serial,
        lineage: target.lineage,
        md5: stored.blob.md5,
        status: 'pending',
        isIntermediate: true,
        areResourcesProcessed: false,
        createdAt: clock.now(),
      })
      return finalizeStateVersion(deps, tx, workspace, pending, stored)
    })
  }
