import { decideBindings, flatTagLimit } from '../../organizations/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { lockAllowed } from '../lock-allowed.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { applyBindings } from './apply-bindings.ts'
import { namedTags, type SentTag } from './named-tags.ts'
import { listBindings } from './queries.ts'

/** Adds tags by id or by name; those there are stay as they are. Throws INVALID. */
export const addTags =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, id: string, sent: readonly SentTag[]): Promise<void> =>
    deps.db.transaction(async (tx) => {
      const { row } = await lockAllowed(deps, ctx, tx, { id }, 'workspace:update')
      const wanted = (await namedTags(tx, row.organizationId, sent, 'refuse')).map((key) => ({ key }))
      await applyBindings(tx, row, decideBindings(await listBindings(tx, [row.id]), wanted, 'add', flatTagLimit))
    })
