import type { Ctx } from '../../platform/context.ts'
import { conflict } from '../../platform/errors.ts'
import { loadView } from '../load-view.ts'
import { lockAllowed } from '../lock-allowed.ts'
import { lockedByOf, type WorkspaceDeps, type WorkspaceView } from '../workspace.ts'
import { describeLock } from './describe-lock.ts'
import { holdsLock, lockHolderOf, lockPermission } from './lock-holder.ts'
import { takeLock } from './take-lock.ts'

/** Locks for the actor. CONFLICT when it is locked already, by whomever; only the run that holds the lock may ask again. */
export const lockWorkspace =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, id: string, reason: string): Promise<WorkspaceView> =>
    deps.db.transaction(async (tx) => {
      const workspace = await lockAllowed(deps, ctx, tx, { id }, lockPermission(ctx))
      const holder = lockedByOf(workspace.row)
      if (ctx.actor.kind === 'run' && holdsLock(workspace.row, ctx.actor)) return loadView(deps, ctx, tx, workspace)
      if (holder !== undefined) throw conflict(await describeLock(tx, holder))
      const row = await takeLock(deps, tx, workspace.row, lockHolderOf(ctx.actor), reason)
      return loadView(deps, ctx, tx, { ...workspace, row })
    })
