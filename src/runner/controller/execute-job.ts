import { AppError, errorMessage } from '../../platform/errors.ts'
import { mayBeApplied } from '../../runs/index.ts'
import { RunnerError } from '../runner.ts'
import { applyPhase } from './apply-phase.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { type Drive, Fenced, HandedOver, isFenced, isTransport, RunnerLost } from './drive.ts'
import { endFailed } from './end-phase.ts'
import { loseRunner } from './lose-runner.ts'
import { planPhase } from './plan-phase.ts'
import { isTakenOver } from './queries.ts'
import { startAgain } from './start-again.ts'
import { resumeDrive, startDrive } from './start-drive.ts'
import { stopRunner } from './stop-runner.ts'

/**
 * Executes a claimed job to its end, whatever it takes: a fresh runner, or the one that an earlier controller left at work. Never throws for what
 * can happen to a run; throws when this controller itself is in trouble, so that the job is taken up again.
 */
export const executeJob = async (d: ControllerDeps, job: JobRow, signal: AbortSignal, onDrive: (drive: Drive) => void): Promise<void> => {
  let drive: Drive | undefined
  try {
    drive = job.runnerRef === null ? await startDrive(d, job, signal) : await resumeDrive(d, job, signal)
    onDrive(drive)
    await (job.phase === 'plan' ? planPhase(drive) : applyPhase(drive))
    if (job.phase === 'plan' && (await mayBeApplied(d.runs, job.runId)))
      d.kept.keep(job.runId, { connected: drive.release(), lease: drive.lease })
    else await dismiss(d, drive)
  } catch (error) {
    await settle(d, job, drive !== undefined, error).catch(async (second: unknown) => {
      if (!(second instanceof Fenced)) throw second
      await leave(d, job)
    })
  } finally {
    drive?.close()
  }
}

/** The phase has ended: its runner goes. */
const dismiss = async (d: ControllerDeps, drive: Drive): Promise<void> => {
  const ref = drive.job.runnerRef
  await drive
    .runner()
    .shutdown({ lease: drive.lease, cleanup: true })
    .catch((error: unknown) => d.log.warn({ runId: drive.job.runId, error: errorMessage(error) }, 'runner did not shut down'))
  if (ref === null) return
  await d.placement.destroy(ref)
  await d.placement.discard(ref)
}

const settle = async (d: ControllerDeps, job: JobRow, isStarted: boolean, error: unknown): Promise<void> => {
  if (error instanceof HandedOver) return
  if (isFenced(error)) return leave(d, job)
  if (error instanceof RunnerLost) return loseRunner(d, job, error.message)
  if (error instanceof AppError || error instanceof RunnerError) {
    d.log.warn(
      { runId: job.runId, phase: job.phase, error: errorMessage(error) },
      isStarted ? 'phase failed' : 'phase could not be started',
    )
    if (job.runnerRef === null && isTransport(error) && (await startAgain(d, job))) return
    await stopRunner(d, job)
    const detail = error instanceof AppError ? error.detail : error.message
    await endFailed(d, job, [
      isStarted ? 'Run failed' : 'Run could not be started',
      detail || 'Something that the run needs is not there any more.',
    ])
    if (job.runnerRef !== null) await d.placement.discard(job.runnerRef)
    return
  }
  throw error
}

/** The job was withdrawn, or its run is gone: the runner goes too. Another controller that took the job over has the runner as well. */
const leave = async (d: ControllerDeps, job: JobRow): Promise<void> => {
  d.log.info({ runId: job.runId, phase: job.phase }, 'phase was taken away')
  if (await isTakenOver(d.db, job)) return
  await d.db.transaction((tx) => d.access.revoke(tx, job.runId))
  if (job.runnerRef === null) return
  await d.placement.destroy(job.runnerRef)
  await d.placement.discard(job.runnerRef)
}
