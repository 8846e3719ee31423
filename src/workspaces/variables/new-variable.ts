import type { Clock } from '../../platform/clock.ts'
import { newId, newUuid } from '../../platform/ids.ts'
import type { Envelope } from '../../platform/secrets/envelope.ts'
import type { NewVariable } from './schemas.ts'
import { checkVariableKey, checkVariableValue } from './variable-rules.ts'
import { sealingContext, type VariableFields } from './variable.ts'

/** Throws INVALID for a refused key or value. */
export const newVariable = ({ envelope, clock }: { envelope: Envelope; clock: Clock }, input: NewVariable): VariableFields => {
  const value = input.value ?? ''
  checkVariableKey(input.key, input.category)
  checkVariableValue(value, input.category)
  const id = newId('var')
  return {
    id,
    key: input.key,
    category: input.category,
    valueSealed: envelope.seal(value, sealingContext(id)),
    isHcl: input.hcl ?? false,
    isSensitive: input.sensitive ?? false,
    description: input.description ?? '',
    versionId: newUuid(),
    createdAt: clock.now(),
  }
}
