import type { Ctx } from '../platform/context.ts'
import { conflict } from '../platform/errors.ts'
import { describeLock } from './locks/describe-lock.ts'
import { lockAllowed } from './lock-allowed.ts'
import { removeWorkspace } from './remove-workspace.ts'
import { lockedByOf, type WorkspaceDeps, type WorkspaceRef } from './workspace.ts'

/** Deletes a workspace that manages nothing. CONFLICT otherwise; clients look for `locked` and `being processed` in the text. */
export const safeDeleteWorkspace =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, ref: WorkspaceRef): Promise<void> =>
    deps.db.transaction(async (tx) => {
      const { row } = await lockAllowed(deps, ctx, tx, ref, 'workspace:delete')
      const holder = lockedByOf(row)
      if (holder !== undefined) throw conflict(`The workspace cannot be deleted safely. ${await describeLock(tx, holder)}`)
      if (await deps.ports.stateOf.isBeingProcessed(tx, row.id)) {
        throw conflict('The workspace cannot be deleted safely: its latest state is being processed')
      }
      if (row.resourceCount > 0) {
        throw conflict(`The workspace cannot be deleted safely: it is still managing ${row.resourceCount} resources`)
      }
      await removeWorkspace(deps, tx, row)
    })
