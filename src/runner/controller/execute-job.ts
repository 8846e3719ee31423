import { AppError, errorMessage } from '../../platform/errors.ts'
import {
  appendLog,
  applyPreamble,
  beginPhase,
  endPhase,
  errorLines,
  phaseMaterial,
  planPreamble,
  type PhaseMaterial,
} from '../../runs/index.ts'
import { RunnerError } from '../runner.ts'
import { applyPhase } from './apply-phase.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { bind, type Drive, Fenced, HandedOver, leaseOf, openDrive, phaseIdentity, phaseIdOf, RunnerLost } from './drive.ts'
import { endFailed } from './end-phase.ts'
import { loseRunner } from './lose-runner.ts'
import type { ConnectedRunner } from './placement.ts'
import { planPhase } from './plan-phase.ts'
import { updateOwnJob } from './queries.ts'

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
    await dismiss(d, drive)
  } catch (error) {
    await settle(d, job, drive, error)
  } finally {
    drive?.close()
  }
}

const startDrive = async (d: ControllerDeps, job: JobRow, signal: AbortSignal): Promise<Drive> => {
  // Before a runner is taken: an engine that cannot be had fails the run, and a download may take its time.
  await d.engines.locate((await phaseMaterial(d.runs, job.runId)).run.terraformVersion)
  const deadline = new Date(d.clock.now().getTime() + (job.phase === 'plan' ? d.limits.planMs : d.limits.applyMs))
  const connected = await d.placement.start(phaseIdentity(job), signal)
  try {
    await bind(connected.runner, leaseOf(job), deadline)
    const logBytes = await begin(d, job, connected, deadline)
    const material = await phaseMaterial(d.runs, job.runId)
    return openDrive(d, { job, material, connected, deadline, signal, logBytes })
  } catch (error) {
    connected.close()
    await d.placement.destroy(connected.ref)
    await d.placement.discard(connected.ref)
    throw error
  }
}

/** The run is planning or applying from now on, its runner is on record, its log has begun: one transaction. */
const begin = async (d: ControllerDeps, job: JobRow, connected: ConnectedRunner, deadline: Date): Promise<number> => {
  const before = await phaseMaterial(d.runs, job.runId)
  const text = preamble(d, job, before)
  return d.db.transaction(async (tx) => {
    const phase = await beginPhase(d.runs, tx, job.runId, job.phase).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'CONFLICT' ? new Fenced() : error
    })
    const patch: Partial<JobRow> = { status: 'running', runnerRef: connected.ref, deadline }
    if ((await updateOwnJob(tx, job, patch)) === undefined) throw new Fenced()
    Object.assign(job, patch)
    return phase.logBytes > 0 ? phase.logBytes : appendLog(tx, phase, text)
  })
}

const preamble = (d: ControllerDeps, job: JobRow, material: PhaseMaterial): string => {
  const lines = { terraformVersion: material.run.terraformVersion, runUrl: d.runUrlFor?.(material) }
  return job.phase === 'plan' ? planPreamble(lines) : applyPreamble(lines)
}

const resumeDrive = async (d: ControllerDeps, job: JobRow, signal: AbortSignal): Promise<Drive> => {
  const material = await phaseMaterial(d.runs, job.runId)
  const deadline = job.deadline ?? d.clock.now()
  try {
    const connected = await d.placement.reattach(job.runnerRef!, phaseIdentity(job), signal)
    await bind(connected.runner, leaseOf(job), deadline)
    d.log.info({ runId: job.runId, phase: job.phase, step: job.step }, 'took over a running phase')
    const phase = job.phase === 'plan' ? material.plan : material.apply
    return openDrive(d, { job, material, connected, deadline, signal, logBytes: phase.logBytes })
  } catch (error) {
    if (error instanceof RunnerError) throw new RunnerLost(errorMessage(error))
    throw error
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

const settle = async (d: ControllerDeps, job: JobRow, drive: Drive | undefined, error: unknown): Promise<void> => {
  const ids = { runId: job.runId, phase: job.phase }
  if (error instanceof HandedOver) return
  if (error instanceof Fenced) {
    d.log.info(ids, 'phase was taken away')
    if (job.runnerRef === null) return
    await d.placement.destroy(job.runnerRef)
    await d.placement.discard(job.runnerRef)
    return
  }
  if (error instanceof RunnerLost) return loseRunner(d, job, error.message)
  if (error instanceof AppError || error instanceof RunnerError) {
    d.log.warn({ ...ids, error: errorMessage(error) }, 'phase failed')
    const detail = error instanceof AppError ? error.detail : error.message
    if (drive === undefined) return failUnstarted(d, job, detail)
    await endFailed(drive, 'Run failed', detail)
    return dismiss(d, drive)
  }
  throw error
}

/** No runner was had: the run fails with the reason in its log. */
const failUnstarted = async (d: ControllerDeps, job: JobRow, detail: string): Promise<void> => {
  const material = await phaseMaterial(d.runs, job.runId)
  const phase = job.phase === 'plan' ? material.plan : material.apply
  await d.db.transaction(async (tx) => {
    await appendLog(
      tx,
      { id: phaseIdOf(job, material), logBytes: phase.logBytes },
      errorLines(material.run.logFormat, d.clock.now(), 'Run could not be started', detail),
    )
    await endPhase(d.runs, tx, job.runId, 'fail')
    await updateOwnJob(tx, job, { status: 'done', finishedAt: d.clock.now() })
  })
}
