import type { Ctx } from '../platform/context.ts'
import { applySet } from './apply-set.ts'
import { changeSet } from './change-set.ts'
import type { Target, VariableSetDeps } from './variable-set.ts'

/** Applies a set to more workspaces or projects. INVALID for a global one and for what is out of its reach. */
export const addSetTargets =
  (d: VariableSetDeps) =>
  (ctx: Ctx, id: string, target: Target, ids: readonly string[]): Promise<void> =>
    changeSet(d, ctx, id, (tx, { row }) => applySet(tx, row, target, ids))
