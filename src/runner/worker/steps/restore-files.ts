import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BlobKind, ErrorCode } from '../../gen/runner/v1/runner.ts'
import { giveToJob } from '../files/give-to-job.ts'
import type { Session } from '../session.ts'
import { parseState, type StateIdentity } from '../state/parse-state.ts'
import { checkPlanPath } from '../setup/check-plan-path.ts'
import { StepError } from '../step-error.ts'

/** Puts uploaded state, plan and lock file where the engine reads them; answers lineage and serial of the state, if there is one. */
export const restoreFiles = async (session: Session, directory: string): Promise<StateIdentity | undefined> => {
  const { paths, isolation, uploads } = session
  const lockFile = uploads.get(BlobKind.LOCK_FILE)
  if (lockFile !== undefined) {
    const target = join(directory, '.terraform.lock.hcl')
    await rm(target, { force: true })
    giveToJob(lockFile.path, target, isolation)
  }
  const plan = uploads.get(BlobKind.PLAN)
  if (plan !== undefined) {
    await checkPlanPath(plan.path, paths.workspaces)
    giveToJob(plan.path, paths.planFile, isolation)
    session.planned = true
  }
  const state = uploads.get(BlobKind.STATE)
  if (state === undefined) return undefined
  const identity = parseState(await readFile(state.path, 'utf8'))
  if (identity === undefined)
    throw new StepError(
      ErrorCode.CONFIG_INVALID,
      'The current state of the workspace is not a terraform state. Upload a valid one, or roll back.',
    )
  giveToJob(state.path, paths.stateFile, isolation)
  return identity
}
