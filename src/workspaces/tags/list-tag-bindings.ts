import type { Ctx } from '../../platform/context.ts'
import { findAllowed } from '../find-allowed.ts'
import type { TagBinding, WorkspaceDeps } from '../workspace.ts'
import { listBindings } from './queries.ts'

/** A workspace's own bindings. */
export const listTagBindings =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, id: string): Promise<TagBinding[]> => {
    const { row } = await findAllowed(deps, ctx, deps.db, { id }, 'workspace:read')
    return listBindings(deps.db, [row.id])
  }
