import { newId } from '../../platform/ids.ts'
import type { Envelope } from '../../platform/secrets/envelope.ts'
import type { ParsedOutput } from '../parse/parse-outputs.ts'
import type { StateOutput } from '../state-version.ts'

const contextOf = (id: string): string => `state_outputs/${id}`

/** Rows of the outputs of a version; every value is sealed, sensitive or not. */
export const sealOutputs = (envelope: Envelope, stateVersionId: string, outputs: readonly ParsedOutput[]): StateOutput[] =>
  outputs.map(({ name, isSensitive, type, detailedType, value }, position) => {
    const id = newId('wsout')
    return {
      id,
      stateVersionId,
      name,
      isSensitive,
      type,
      detailedType: detailedType ?? null,
      valueSealed: envelope.seal(value, contextOf(id)),
      position,
    }
  })

/** JSON text of the value, exactly as it was in the state. */
export const openOutput = (envelope: Envelope, { id, valueSealed }: StateOutput): string => envelope.openText(valueSealed, contextOf(id))
