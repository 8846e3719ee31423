import { BlobKind } from '../gen/runner/v1/runner.ts'
import type { Drive } from './drive.ts'
import { endApply, endFailed, endUnfinished } from './end-phase.ts'
import { letReaderCatchUp } from './let-reader-catch-up.ts'
import { logFormatOf, parallelismOf } from './prepare-request.ts'
import { runStep } from './run-step.ts'
import { prepareAndInit } from './start-steps.ts'
import { streamState } from './stream-state.ts'

/** Restores what the plan left, applies it, and keeps every state that comes. The phase ends after the last one is stored. */
export const applyPhase = async (drive: Drive): Promise<void> => {
  const { lease, material } = drive
  const { plan } = material
  if (plan.planBlobKey === null)
    return endFailed(drive.d, drive.job, ['Plan is missing', 'The plan of this run was not kept. Start a new run.'])
  if (
    material.workspace.currentStateVersionId !== material.run.inputStateVersionId &&
    drive.job.results['apply'] === undefined &&
    drive.job.step !== 'apply'
  ) {
    return endFailed(drive.d, drive.job, [
      'Saved plan is stale',
      'The state of the workspace has changed since this plan was made. Start a new run.',
    ])
  }
  const uploads = [
    plan.snapshotBlobKey === null
      ? { kind: BlobKind.SLUG, key: material.configurationBlobKey }
      : { kind: BlobKind.SNAPSHOT, key: plan.snapshotBlobKey },
    { kind: BlobKind.PLAN, key: plan.planBlobKey },
    ...(plan.lockFileBlobKey === null ? [] : [{ kind: BlobKind.LOCK_FILE, key: plan.lockFileBlobKey }]),
    ...(material.state === undefined ? [] : [{ kind: BlobKind.STATE, key: material.state.blobKey }]),
  ]
  const failed = await prepareAndInit(drive, uploads, { isLockFileFinal: plan.lockFileBlobKey !== null })
  if (failed !== undefined) return endUnfinished(drive, failed)

  const applying = runStep(drive, {
    name: 'apply',
    start: (runner, opId) => runner.apply({ lease, opId, parallelism: parallelismOf(material), logFormat: logFormatOf(material) }),
  })
  const together = async <R>(work: Promise<R>): Promise<R> =>
    work.catch((error: unknown) => {
      drive.giveUp(error)
      throw error
    })
  // Neither is left behind at work when the other fails.
  const [apply, states] = await Promise.allSettled([together(applying), together(streamState(drive))])
  if (apply.status === 'rejected') throw drive.signal.reason
  if (states.status === 'rejected') throw drive.signal.reason
  // Outputs and counts of the new state appear together with the end of the run.
  await drive.d.state.prepareRunState(drive.job.workspaceId, drive.job.runId)
  if (apply.value.outcome === 'succeeded') return endApply(drive, apply.value)
  if (apply.value.outcome === 'failed') await letReaderCatchUp(drive)
  return endUnfinished(drive, apply.value)
}
