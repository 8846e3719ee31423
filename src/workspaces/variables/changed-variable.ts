import { invalid } from '../../platform/errors.ts'
import { newUuid } from '../../platform/ids.ts'
import type { Envelope } from '../../platform/secrets/envelope.ts'
import type { VariableUpdate } from './schemas.ts'
import { checkVariableKey, checkVariableValue } from './variable-rules.ts'
import { openVariable, sealingContext, type VariableFields } from './variable.ts'

/**
 * Absent stays, null clears. The version id changes each time. A sensitive variable stays sensitive and keeps its key; its value, category,
 * hcl and description may change. Throws INVALID.
 */
export const changedVariable = <R extends VariableFields>(envelope: Envelope, before: R, input: VariableUpdate): R => {
  const after = { ...changed(before, input), versionId: newUuid() }
  checkVariableKey(after.key, after.category)
  if (input.value === undefined && after.category === before.category) return after
  const value = input.value === undefined ? openVariable(envelope, before) : (input.value ?? '')
  checkVariableValue(value, after.category)
  return { ...after, valueSealed: envelope.seal(value, sealingContext(before.id)) }
}

const changed = <R extends VariableFields>(before: R, input: VariableUpdate): R => {
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
