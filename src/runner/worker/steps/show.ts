import { BlobKind, ShowKind, type ShowRequest, StepOutcome } from '../../gen/runner/v1/runner.ts'
import { runCaptured } from '../engine/run-captured.ts'
import { asArtifact } from '../files/as-artifact.ts'
import type { Step } from '../session.ts'
import { showRedacted } from './show-redacted.ts'

/** `show` of the plan (JSON with its redacted twin, or text) or of the state. The artifacts hold it, the log only complaints. */
export const show: Step<ShowRequest> = async (session, { kind }, output) => {
  const { planFile } = session.paths
  if (kind === ShowKind.PLAN_JSON) {
    const { file: redacted, providers } = await showRedacted(session, planFile, BlobKind.PLAN_JSON_REDACTED, BlobKind.PLAN_JSON, output)
    if ((await session.snapshot) === false)
      output.notice('The working directory is too large to be kept for the apply; the apply starts from the uploaded configuration.')
    const [whole, snapshot] = [session.artifacts.get(BlobKind.PLAN_JSON), session.artifacts.get(BlobKind.SNAPSHOT)]
    return {
      outcome: StepOutcome.SUCCEEDED,
      providers,
      artifacts: [
        ...(whole === undefined ? [] : [asArtifact(BlobKind.PLAN_JSON, whole)]),
        asArtifact(BlobKind.PLAN_JSON_REDACTED, redacted),
        ...(snapshot === undefined ? [] : [asArtifact(BlobKind.SNAPSHOT, snapshot)]),
      ],
    }
  }
  const isText = kind === ShowKind.PLAN_TEXT
  const blob = isText ? BlobKind.PLAN_TEXT : BlobKind.STATE_JSON
  const stored = await runCaptured(session, isText ? ['show', '-no-color', planFile] : ['show', '-json'], blob, output, isText)
  return { outcome: StepOutcome.SUCCEEDED, artifacts: [asArtifact(blob, stored)] }
}
