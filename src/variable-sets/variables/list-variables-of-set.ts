import type { Ctx } from '../../platform/context.ts'
import type { PageRequest } from '../../platform/db/paginate.ts'
import { toVariable } from '../../workspaces/index.ts'
import { findAllowedSet } from '../find-allowed-set.ts'
import type { VariableSetDeps } from '../variable-set.ts'
import { listSetVariablePage } from './queries.ts'
import type { SetVariable } from './set-variable.ts'

/** Oldest first. */
export const listVariablesOfSet =
  (d: VariableSetDeps) =>
  async (ctx: Ctx, variableSetId: string, page: PageRequest): Promise<{ items: SetVariable[]; total: number }> => {
    await findAllowedSet(d, ctx, d.db, variableSetId, 'variable-set:read')
    const { items, total } = await listSetVariablePage(d.db, variableSetId, page)
    return { items: items.map((row) => toVariable(d.envelope, row)), total }
  }
