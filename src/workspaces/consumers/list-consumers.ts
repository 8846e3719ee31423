import type { Ctx } from '../../platform/context.ts'
import type { PageRequest } from '../../platform/db/paginate.ts'
import { findAllowed } from '../find-allowed.ts'
import { visibleTo } from '../list/visible-to.ts'
import { loadViews } from '../load-views.ts'
import type { WorkspaceDeps, WorkspaceView } from '../workspace.ts'
import { listConsumerPage } from './queries.ts'

/** A page of the workspaces whose runs may read the state of this one: named ones, those of the project, or all. */
export const listConsumers =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, id: string, page: PageRequest): Promise<{ items: WorkspaceView[]; total: number }> => {
    const { row } = await findAllowed(deps, ctx, deps.db, { id }, 'workspace:read')
    const visible = await visibleTo(deps, ctx, row.organizationId)
    const { items, total } = await listConsumerPage(deps.db, row, visible, page)
    return { items: await loadViews(deps, ctx, deps.db, items), total }
  }
