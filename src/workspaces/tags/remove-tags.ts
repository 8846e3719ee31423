import type { Ctx } from '../../platform/context.ts'
import { lockAllowed } from '../lock-allowed.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { applyBindings } from './apply-bindings.ts'
import { namedTags, type SentTag } from './named-tags.ts'
import { listBindings } from './queries.ts'

/** Removes tags by id or by name; what the workspace does not carry is no error. */
export const removeTags =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, id: string, sent: readonly SentTag[]): Promise<void> =>
    deps.db.transaction(async (tx) => {
      const { row } = await lockAllowed(deps, ctx, tx, { id }, 'workspace:update')
      const unwanted = new Set(await namedTags(tx, row.organizationId, sent, 'skip'))
      const removed = (await listBindings(tx, [row.id])).map(({ key }) => key).filter((key) => unwanted.has(key))
      await applyBindings(tx, row, { added: [], changed: [], removed })
    })
