import { appendLog, endPhase, errorLines, isCancelRequested, phaseMaterial, type PhaseMaterial } from '../../runs/index.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { phaseIdOf } from './drive.ts'
import { updateOwnJob } from './queries.ts'

const PLAN_ATTEMPTS = 3

/**
 * The runner is gone for good. What it left running is ended and what it left on disk is kept. A plan is tried again on a new runner; an apply never is: its
 * last state becomes the workspace's, and the log says what was under way.
 */
export const loseRunner = async (d: ControllerDeps, job: JobRow, reason: string): Promise<void> => {
  d.log.warn({ runId: job.runId, phase: job.phase, reason }, 'runner lost')
  if (job.runnerRef !== null) {
    await d.placement.destroy(job.runnerRef)
    if (job.phase === 'apply') await keepLeftState(d, job)
  }
  const material = await phaseMaterial(d.runs, job.runId)
  const isCanceled = await isCancelRequested(d.runs, job.runId)
  const isRetried = job.phase === 'plan' && job.attempt < PLAN_ATTEMPTS && !isCanceled
  const phase = job.phase === 'plan' ? material.plan : material.apply
  const runnerRef = job.runnerRef
  await d.db.transaction(async (tx) => {
    await appendLog(tx, { id: phaseIdOf(job, material), logBytes: phase.logBytes }, lossText(d, job, material, isRetried))
    if (!isRetried) await endPhase(d.runs, tx, job.runId, isCanceled ? 'phase-canceled' : 'fail')
    await updateOwnJob(
      tx,
      job,
      isRetried
        ? { status: 'pending', owner: null, attempt: job.attempt + 1, runnerRef: null, step: null, stepSeq: 0, results: {}, inFlight: {} }
        : { status: 'lost', finishedAt: d.clock.now() },
    )
  })
  if (runnerRef !== null) await d.placement.discard(runnerRef)
}

/** The engine writes its state after every resource, so the file may be newer than the last snapshot that arrived. */
const keepLeftState = async (d: ControllerDeps, job: JobRow): Promise<void> => {
  const bytes = job.runnerRef === null ? undefined : await d.placement.recoverState(job.runnerRef)
  if (bytes === undefined) return
  const { lineage, serial } = JSON.parse(bytes.toString('utf8')) as { lineage?: unknown; serial?: unknown }
  if (typeof lineage !== 'string' || typeof serial !== 'number') return
  await d.state.commitRunSnapshot({ workspaceId: job.workspaceId, runId: job.runId, lineage, serial, bytes })
  await d.state.prepareRunState(job.workspaceId, job.runId)
}

const lossText = (d: ControllerDeps, job: JobRow, material: PhaseMaterial, isRetried: boolean): string => {
  if (isRetried) return `The runner was lost; planning again (attempt ${job.attempt + 1} of ${PLAN_ATTEMPTS}).\n`
  const inFlight = Object.entries(job.inFlight).map(([address, action]) => `${address} (${action})`)
  const detail =
    job.phase === 'plan'
      ? 'The runner was lost during the plan. Start a new run.'
      : [
          'The runner was lost during the apply. Every resource that was finished is in the state; start a new run to finish the rest.',
          ...(inFlight.length === 0 ? [] : [`In flight when it was lost: ${inFlight.join(', ')}. Check whether they exist.`]),
        ].join('\n')
  return errorLines(material.run.logFormat, d.clock.now(), 'Runner lost', detail)
}
