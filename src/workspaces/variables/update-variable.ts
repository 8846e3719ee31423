import type { Ctx } from '../../platform/context.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { newUuid } from '../../platform/ids.ts'
import { lockAllowed } from '../lock-allowed.ts'
import type { VariableRow, WorkspaceDeps } from '../workspace.ts'
import { orKeyTaken } from './key-taken.ts'
import { findVariable, updateVariableRow } from './queries.ts'
import type { VariableUpdate } from './schemas.ts'
import { checkVariableKey, checkVariableValue } from './variable-rules.ts'
import { sealingContext, toVariable, type Variable } from './variable.ts'

/**
 * Absent stays, null clears. The version id changes each time. A sensitive variable stays sensitive and keeps its key; its value, category,
 * hcl and description may change.
 */
export const updateVariable =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, workspaceId: string, id: string, input: VariableUpdate): Promise<Variable> =>
    deps.db.transaction(async (tx) => {
      const workspace = await lockAllowed(deps, ctx, tx, { id: workspaceId }, 'variable:write')
      const before = await findVariable(tx, workspace.row.id, id)
      if (before === undefined) throw notFound()
      const after: VariableRow = { ...changed(before, input), versionId: newUuid() }
      checkVariableKey(after.key, after.category)
      if (input.value !== undefined || after.category !== before.category) {
        const context = sealingContext(id)
        const value = input.value === undefined ? deps.envelope.openText(before.valueSealed, context) : (input.value ?? '')
        checkVariableValue(value, after.category)
        after.valueSealed = deps.envelope.seal(value, context)
      }
      await orKeyTaken(updateVariableRow(tx, after))
      return toVariable(deps.envelope, after)
    })

const changed = (before: VariableRow, input: VariableUpdate): VariableRow => {
  const after = {
    ...before,
    key: input.key ?? before.key,
    category: input.category ?? before.category,
    isHcl: input.hcl === undefined ? before.isHcl : (input.hcl ?? false),
    isSensitive: input.sensitive ?? before.isSensitive,
    description: input.description === undefined ? before.description : (input.description ?? ''),
  }
  if (before.isSensitive && !after.isSensitive) {
    throw invalid('Sensitive cannot be turned off: its value could be read then. Delete the variable and create it anew', 'sensitive')
  }
  if (before.isSensitive && after.key !== before.key) {
    throw invalid('Key of a sensitive variable cannot be changed: delete the variable and create it anew', 'key')
  }
  return after
}
