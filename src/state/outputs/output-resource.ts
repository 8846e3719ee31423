import { type Resource, rawJson } from '../../api/index.ts'
import type { Envelope } from '../../platform/secrets/envelope.ts'
import { outputType, workspaceOutputType } from '../resource-types.ts'
import type { StateOutput } from '../state-version.ts'
import { openOutput } from './seal-outputs.ts'

type Options = {
  /** Sensitive values are null. */
  hidesSensitive: boolean
}

const valueOf = (envelope: Envelope, output: StateOutput, { hidesSensitive }: Options) =>
  hidesSensitive && output.isSensitive ? null : rawJson(openOutput(envelope, output))

const detailedTypeOf = ({ detailedType }: StateOutput) => (detailedType === null ? null : rawJson(detailedType))

export const outputResource =
  (envelope: Envelope, options: Options) =>
  (output: StateOutput): Resource =>
    outputType.of({
      id: output.id,
      attributes: {
        name: output.name,
        sensitive: output.isSensitive,
        type: output.type,
        value: valueOf(envelope, output, options),
        'detailed-type': detailedTypeOf(output),
      },
      links: { self: `/api/v2/state-version-outputs/${output.id}` },
    })

/** The same output as `outputs` of a workspace: same id, other type. */
export const workspaceOutputResource =
  (envelope: Envelope) =>
  (output: StateOutput): Resource =>
    workspaceOutputType.of({
      id: output.id,
      attributes: {
        name: output.name,
        sensitive: output.isSensitive,
        'output-type': output.type,
        value: valueOf(envelope, output, { hidesSensitive: true }),
        'detailed-type': detailedTypeOf(output),
      },
    })
