import type { Ctx } from '../platform/context.ts'
import { findAllowedSet } from './find-allowed-set.ts'
import { loadSetView } from './load-set-view.ts'
import type { VariableSetDeps, VariableSetView } from './variable-set.ts'

export const getVariableSet =
  (d: VariableSetDeps) =>
  async (ctx: Ctx, id: string): Promise<VariableSetView> => {
    await findAllowedSet(d, ctx, d.db, id, 'variable-set:read')
    return loadSetView(d, ctx, d.db, id)
  }
