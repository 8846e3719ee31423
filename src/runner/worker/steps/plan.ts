import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Artifact, BlobKind, ErrorCode, PlanMode, type PlanRequest, StepOutcome } from '../../gen/runner/v1/runner.ts'
import { conclude } from '../engine/conclude.ts'
import { runLogged } from '../engine/run-logged.ts'
import { asArtifact } from '../files/as-artifact.ts'
import { storeJobFile } from '../files/store-artifact.ts'
import { preparedOf } from '../prepared-of.ts'
import type { Step } from '../session.ts'
import { StepError } from '../step-error.ts'
import { outputSwitch } from './output-switch.ts'
import { takeSnapshot } from './take-snapshot.ts'

const GENERATED_FILE = 'generated.tf'

/** Exit codes of `plan -detailed-exitcode`. */
const NO_CHANGES = 0
const CHANGES = 2

/** `plan` to a file. The working directory as the plan leaves it becomes an artifact later, for the apply may need files made here. */
export const plan: Step<PlanRequest> = async (session, request, output) => {
  if ([...request.targets, ...request.replace, request.invoke].some((address) => address.includes('\0')))
    throw new StepError(ErrorCode.CONFIG_INVALID, 'An address to target, replace or invoke contains a NUL character.')
  const { directory } = preparedOf(session)
  const generated = join(directory, GENERATED_FILE)
  const hadGenerated = exists(generated)
  session.planned = false
  session.planSucceeded = false
  rmSync(session.paths.planFile, { force: true })
  const { exit, observation } = await runLogged(session, planArguments(request, session.paths.planFile), output)
  const generatedConfig = request.generateConfig && !hadGenerated && exists(generated)
  const artifacts: Artifact[] = []
  // Terraform may write a file for a plan with errors too; showing it is useful, applying it is refused by terraform.
  const planFile = await storeJobFile(session, BlobKind.PLAN, session.paths.planFile)
  if (planFile !== undefined) {
    session.planned = true
    artifacts.push(asArtifact(BlobKind.PLAN, planFile))
  }
  if (exit.exitCode !== NO_CHANGES && exit.exitCode !== CHANGES)
    return { ...conclude(exit, session.stop.reason, ErrorCode.PLAN_FAILED, observation.errors), generatedConfig, artifacts }
  session.planSucceeded = true
  const hasChanges = exit.exitCode === CHANGES
  if (hasChanges) {
    session.snapshot = takeSnapshot(session)
    // Whoever needs it hears of a failure.
    session.snapshot.catch(() => undefined)
  }
  return {
    outcome: StepOutcome.SUCCEEDED,
    exitCode: exit.exitCode,
    hasChanges,
    summary: observation.summary ?? nothing,
    generatedConfig,
    artifacts,
  }
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const nothing = { add: 0, change: 0, remove: 0, import: 0 }

const planArguments = (request: PlanRequest, planFile: string): string[] => [
  'plan',
  '-input=false',
  '-detailed-exitcode',
  '-lock=false',
  `-out=${planFile}`,
  ...outputSwitch(request.logFormat),
  ...(request.mode === PlanMode.DESTROY ? ['-destroy'] : []),
  // Invoking an action implies the mode, and terraform takes one of the two.
  ...(request.invoke !== '' ? [`-invoke=${request.invoke}`] : request.mode === PlanMode.REFRESH_ONLY ? ['-refresh-only'] : []),
  ...(request.refresh || request.mode === PlanMode.REFRESH_ONLY ? [] : ['-refresh=false']),
  ...request.targets.map((target) => `-target=${target}`),
  ...request.replace.map((address) => `-replace=${address}`),
  ...(request.parallelism > 0 ? [`-parallelism=${request.parallelism}`] : []),
  ...(request.generateConfig ? [`-generate-config-out=${GENERATED_FILE}`] : []),
]
