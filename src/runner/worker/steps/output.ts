import { BlobKind, type OutputRequest, StepOutcome } from '../../gen/runner/v1/runner.ts'
import { runCaptured } from '../engine/run-captured.ts'
import { asArtifact } from '../files/as-artifact.ts'
import type { Step } from '../session.ts'

/** `output -json`. Holds sensitive values in clear. */
export const output: Step<OutputRequest> = async (session, _request, events) => {
  const stored = await runCaptured(session, ['output', '-json'], BlobKind.OUTPUTS_JSON, events)
  return { outcome: StepOutcome.SUCCEEDED, artifacts: [asArtifact(BlobKind.OUTPUTS_JSON, stored)] }
}
