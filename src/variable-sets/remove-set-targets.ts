import type { Ctx } from '../platform/context.ts'
import { changeSet } from './change-set.ts'
import { deleteLinks } from './link-queries.ts'
import type { Target, VariableSetDeps } from './variable-set.ts'

/** Takes a set away from workspaces or projects; those without it are no error. */
export const removeSetTargets =
  (d: VariableSetDeps) =>
  (ctx: Ctx, id: string, target: Target, ids: readonly string[]): Promise<void> =>
    changeSet(d, ctx, id, (tx) => deleteLinks(tx, target, id, ids))
