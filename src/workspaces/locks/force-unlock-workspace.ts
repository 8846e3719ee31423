import type { Ctx } from '../../platform/context.ts'
import { conflict } from '../../platform/errors.ts'
import { loadView } from '../load-view.ts'
import { lockAllowed } from '../lock-allowed.ts'
import { lockedByOf, type WorkspaceDeps, type WorkspaceView } from '../workspace.ts'
import { describeLock } from './describe-lock.ts'
import { releaseLock } from './release-lock.ts'

/** Takes the lock from whoever holds it, pending state or not. CONFLICT when it is not locked, or by a run: that one has to be canceled. */
export const forceUnlockWorkspace =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, id: string): Promise<WorkspaceView> =>
    deps.db.transaction(async (tx) => {
      const workspace = await lockAllowed(deps, ctx, tx, { id }, 'workspace:force-unlock')
      const holder = lockedByOf(workspace.row)
      if (holder === undefined) throw conflict('The workspace is already unlocked')
      if (holder.kind === 'run') throw conflict(`${await describeLock(tx, holder)}. Cancel or discard the run instead`)
      const row = await releaseLock(deps, tx, workspace.row)
      return loadView(deps, ctx, tx, { ...workspace, row })
    })
