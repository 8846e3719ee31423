import type { Ctx } from '../../platform/context.ts'
import { toVariable } from '../../workspaces/index.ts'
import type { VariableSetDeps } from '../variable-set.ts'
import { listSetVariablesById } from './queries.ts'
import type { SetVariable } from './set-variable.ts'

/** Those of the variables that the actor may read, for embedding. */
export const loadSetVariables =
  (d: VariableSetDeps) =>
  async (ctx: Ctx, ids: readonly string[]): Promise<SetVariable[]> => {
    const readable: SetVariable[] = []
    for (const { row, organizationId } of await listSetVariablesById(d.db, ids)) {
      const permissions = await d.permissionsOf(ctx, organizationId)
      if (permissions.has('variable-set:read')) readable.push(toVariable(d.envelope, row))
    }
    return readable
  }
