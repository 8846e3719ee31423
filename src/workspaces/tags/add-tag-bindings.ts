import { bindingLimit, decideBindings, readBindings } from '../../organizations/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { lockAllowed } from '../lock-allowed.ts'
import type { TagBinding, WorkspaceDeps } from '../workspace.ts'
import { applyBindings } from './apply-bindings.ts'
import { listBindings } from './queries.ts'

/** Adds bindings, or changes the value of those there are; removes none. All bindings afterwards. Throws INVALID. */
export const addTagBindings =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, id: string, sent: Parameters<typeof readBindings>[0]): Promise<TagBinding[]> =>
    deps.db.transaction(async (tx) => {
      const { row } = await lockAllowed(deps, ctx, tx, { id }, 'workspace:update')
      const existing = await listBindings(tx, [row.id])
      await applyBindings(tx, row, decideBindings(existing, readBindings(sent), 'add', bindingLimit))
      return listBindings(tx, [row.id])
    })
