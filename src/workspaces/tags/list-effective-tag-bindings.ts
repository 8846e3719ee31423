import { listProjectBindings } from '../../organizations/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { findAllowed } from '../find-allowed.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { type EffectiveBinding, effectiveBindings } from './effective-bindings.ts'
import { listBindings } from './queries.ts'

/** The bindings of a workspace and those that it inherits from its project. */
export const listEffectiveTagBindings =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, id: string): Promise<EffectiveBinding[]> => {
    const { row } = await findAllowed(deps, ctx, deps.db, { id }, 'workspace:read')
    return effectiveBindings(await listBindings(deps.db, [row.id]), await listProjectBindings(deps.db, [row.projectId]))
  }
