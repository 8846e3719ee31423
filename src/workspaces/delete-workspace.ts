import type { Ctx } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import { lockAllowed } from './lock-allowed.ts'
import { mayForceDelete } from './permissions.ts'
import { removeWorkspace } from './remove-workspace.ts'
import type { WorkspaceDeps, WorkspaceRef } from './workspace.ts'

/** Deletes whatever the workspace still manages, locked or not. FORBIDDEN to those who see it and may not. */
export const deleteWorkspace =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, ref: WorkspaceRef): Promise<void> =>
    deps.db.transaction(async (tx) => {
      const { row, organization } = await lockAllowed(deps, ctx, tx, ref, 'workspace:read')
      const permissions = await deps.permissionsOf(ctx, organization.id, row.id, tx)
      if (!mayForceDelete(permissions, organization)) {
        throw new AppError('FORBIDDEN', 'You may not delete this workspace without the safety check. Use the safe-delete action.')
      }
      await removeWorkspace(deps, tx, row)
    })
