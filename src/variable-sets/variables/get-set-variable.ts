import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { toVariable } from '../../workspaces/index.ts'
import { findAllowedSet } from '../find-allowed-set.ts'
import type { VariableSetDeps } from '../variable-set.ts'
import { findSetVariable } from './queries.ts'
import type { SetVariable } from './set-variable.ts'

export const getSetVariable =
  (d: VariableSetDeps) =>
  async (ctx: Ctx, variableSetId: string, id: string): Promise<SetVariable> => {
    await findAllowedSet(d, ctx, d.db, variableSetId, 'variable-set:read')
    const row = await findSetVariable(d.db, variableSetId, id)
    if (row === undefined) throw notFound()
    return toVariable(d.envelope, row)
  }
