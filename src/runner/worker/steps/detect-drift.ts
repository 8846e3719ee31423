import { BlobKind, type DriftRequest, ErrorCode, LogFormat, StepOutcome } from '../../gen/runner/v1/runner.ts'
import { conclude } from '../engine/conclude.ts'
import { runLogged } from '../engine/run-logged.ts'
import { asArtifact } from '../files/as-artifact.ts'
import type { Step } from '../session.ts'
import { outputSwitch } from './output-switch.ts'
import { showRedacted } from './show-redacted.ts'

/** Compares state and reality: a refresh-only plan. The redacted plan JSON is the artifact, drift is in `resource_drift`. */
export const detectDrift: Step<DriftRequest> = async (session, request, output) => {
  const { driftFile } = session.paths
  const parallelism = request.parallelism > 0 ? [`-parallelism=${request.parallelism}`] : []
  const args = [
    'plan',
    '-input=false',
    '-refresh-only',
    '-detailed-exitcode',
    '-lock=false',
    `-out=${driftFile}`,
    ...outputSwitch(LogFormat.JSON),
    ...parallelism,
  ]
  const { exit, observation } = await runLogged(session, args, output)
  if (exit.exitCode !== 0 && exit.exitCode !== 2) return conclude(exit, session.stop.reason, ErrorCode.PLAN_FAILED, observation.errors)
  const { file: drift } = await showRedacted(session, driftFile, BlobKind.DRIFT_JSON, undefined, output)
  return {
    outcome: StepOutcome.SUCCEEDED,
    exitCode: exit.exitCode,
    hasChanges: exit.exitCode === 2,
    summary: observation.summary,
    artifacts: [asArtifact(BlobKind.DRIFT_JSON, drift)],
  }
}
