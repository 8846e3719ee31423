import type { Ctx } from '../../platform/context.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { lockAllowed } from '../lock-allowed.ts'
import { applyBindings } from '../tags/apply-bindings.ts'
import { decideBindings, flatTagLimit } from '../../organizations/index.ts'
import { listBindings } from '../tags/queries.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { findTag } from './queries.ts'

/** Adds one tag to several workspaces of its organization: to all of them or to none. */
export const addTagToWorkspaces =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, tagId: string, workspaceIds: readonly string[]): Promise<void> =>
    deps.db.transaction(async (tx) => {
      const tag = await findTag(tx, tagId)
      if (tag === undefined) throw notFound()
      await deps.authorize(ctx, 'workspace:update', { organizationId: tag.organizationId }, tx)
      // in one order for all who lock several
      for (const id of [...new Set(workspaceIds)].sort()) {
        const { row } = await lockAllowed(deps, ctx, tx, { id }, 'workspace:update')
        if (row.organizationId !== tag.organizationId)
          throw new AppError('INVALID', `The workspace ${id} is in another organization than the tag`)
        await applyBindings(tx, row, decideBindings(await listBindings(tx, [id]), [{ key: tag.name }], 'add', flatTagLimit))
      }
    })
