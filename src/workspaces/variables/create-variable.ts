import type { Ctx } from '../../platform/context.ts'
import { newId, newUuid } from '../../platform/ids.ts'
import { lockAllowed } from '../lock-allowed.ts'
import type { VariableRow, WorkspaceDeps } from '../workspace.ts'
import { orKeyTaken } from './key-taken.ts'
import { insertVariable } from './queries.ts'
import type { NewVariable } from './schemas.ts'
import { checkVariableKey, checkVariableValue } from './variable-rules.ts'
import { sealingContext, toVariable, type Variable } from './variable.ts'

/** INVALID for a refused key or value, and when the workspace has the key in that category. */
export const createVariable =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, workspaceId: string, input: NewVariable): Promise<Variable> =>
    deps.db.transaction(async (tx) => {
      const workspace = await lockAllowed(deps, ctx, tx, { id: workspaceId }, 'variable:write')
      const value = input.value ?? ''
      checkVariableKey(input.key, input.category)
      checkVariableValue(value, input.category)
      const id = newId('var')
      const row: VariableRow = {
        id,
        workspaceId: workspace.row.id,
        key: input.key,
        category: input.category,
        valueSealed: deps.envelope.seal(value, sealingContext(id)),
        isHcl: input.hcl ?? false,
        isSensitive: input.sensitive ?? false,
        description: input.description ?? '',
        versionId: newUuid(),
        createdAt: deps.clock.now(),
      }
      await orKeyTaken(insertVariable(tx, row))
      return toVariable(deps.envelope, row)
    })
