import type { Page } from '../../api/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { findAllowed, type WorkspaceRef } from '../../workspaces/index.ts'
import { listStateVersions as query, type Status } from '../queries.ts'
import type { StateDeps } from '../state-version.ts'
import { type StateVersionView, withOutputs } from './with-outputs.ts'

/** Newest first; without `statuses` everything but what was discarded. Errors: NOT_FOUND. */
export const listStateVersions =
  (deps: Pick<StateDeps, 'db' | 'authorize'>) =>
  async (
    ctx: Ctx,
    ref: WorkspaceRef,
    statuses: readonly Status[] | undefined,
    page: Page,
  ): Promise<{ items: StateVersionView[]; total: number }> => {
    const { row } = await findAllowed(deps, ctx, deps.db, ref, 'state:read')
    const { items, total } = await query(deps.db, row.id, statuses, page)
    return { items: await withOutputs(deps.db, items), total }
  }
