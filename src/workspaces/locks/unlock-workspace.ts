import type { Ctx } from '../../platform/context.ts'
import { AppError, conflict } from '../../platform/errors.ts'
import { loadView } from '../load-view.ts'
import { lockAllowed } from '../lock-allowed.ts'
import { lockedByOf, type WorkspaceDeps, type WorkspaceView } from '../workspace.ts'
import { describeLock } from './describe-lock.ts'
import { holdsLock, lockPermission } from './lock-holder.ts'
import { releaseLock } from './release-lock.ts'

/**
 * Gives the actor's own lock back. CONFLICT when it is not locked or locked by somebody else; INVALID (clients retry on that text) while
 * the newest state version waits for its upload. For a run it changes nothing: its lock ends with the run.
 */
export const unlockWorkspace =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, id: string): Promise<WorkspaceView> =>
    deps.db.transaction(async (tx) => {
      const workspace = await lockAllowed(deps, ctx, tx, { id }, lockPermission(ctx))
      const holder = lockedByOf(workspace.row)
      if (holder === undefined) throw conflict('The workspace is already unlocked')
      if (!holdsLock(workspace.row, ctx.actor)) throw conflict(await describeLock(tx, holder))
      if (await deps.ports.stateOf.hasPendingStateVersion(tx, workspace.row.id)) {
        throw new AppError('INVALID', 'The workspace cannot be unlocked: the latest state version is still pending', {
          title: 'unprocessable entity',
        })
      }
      if (holder.kind === 'run') return loadView(deps, ctx, tx, workspace)
      const row = await releaseLock(deps, tx, workspace.row)
      return loadView(deps, ctx, tx, { ...workspace, row })
    })
