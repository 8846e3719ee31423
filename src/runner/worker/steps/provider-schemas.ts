import { BlobKind, type SchemasRequest, StepOutcome } from '../../gen/runner/v1/runner.ts'
import { runCaptured } from '../engine/run-captured.ts'
import { asArtifact } from '../files/as-artifact.ts'
import type { Step } from '../session.ts'

/** `providers schema -json`; can be tens of megabytes. */
export const providerSchemas: Step<SchemasRequest> = async (session, _request, output) => {
  const stored = await runCaptured(session, ['providers', 'schema', '-json'], BlobKind.PROVIDER_SCHEMAS, output)
  return { outcome: StepOutcome.SUCCEEDED, artifacts: [asArtifact(BlobKind.PROVIDER_SCHEMAS, stored)] }
}
