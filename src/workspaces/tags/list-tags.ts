import type { Ctx } from '../../platform/context.ts'
import type { PageRequest } from '../../platform/db/paginate.ts'
import { findAllowed } from '../find-allowed.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { listTagPage, type Tag } from './queries.ts'

/** A page of the tags of a workspace. `name`: part of the name. */
export const listTags =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, id: string, name: string | undefined, page: PageRequest): Promise<{ items: Tag[]; total: number }> => {
    const { row } = await findAllowed(deps, ctx, deps.db, { id }, 'workspace:read')
    return listTagPage(deps.db, row.organizationId, row.id, name, page)
  }
