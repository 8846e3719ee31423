import { appendLog, endPhase, errorLines, type LockedPhase } from '../../runs/index.ts'
import { asOwner } from './as-owner.ts'
import type { ControllerDeps, JobRow } from './deps.ts'
import { endApply, endUnfinished, keptAsideText } from './end-phase.ts'
import { inFlightText } from './in-flight-text.ts'
import { updateOwnJob } from './queries.ts'
import { stopRunner } from './stop-runner.ts'

const PLAN_ATTEMPTS = 3

/**
 * The runner is gone for good. What it left running is ended and what it left on disk is kept. A plan is tried again on a new runner; an apply
 * never is: its last state becomes the workspace's, and the log says what was under way. One that had come to its end ends so. Throws Fenced.
 */
export const loseRunner = async (d: ControllerDeps, job: JobRow, reason: string): Promise<void> => {
  d.log.warn({ runId: job.runId, phase: job.phase, reason }, 'runner lost')
  await stopRunner(d, job)
  const apply = job.phase === 'apply' ? job.results['apply'] : undefined
  // A result of another kind may come from our ending it.
  if (apply?.outcome === 'succeeded' || apply?.outcome === 'failed') {
    await (apply.outcome === 'succeeded' ? endApply({ d, job }, apply) : endUnfinished({ d, job }, apply))
    if (job.runnerRef !== null) await d.placement.discard(job.runnerRef)
    return
  }
  // Before the job can be claimed again: its next runner gets the same directory.
  if (job.runnerRef !== null) await d.placement.discard(job.runnerRef)
  const again = {
    status: 'pending',
    owner: null,
    attempt: job.attempt + 1,
    runnerRef: null,
    step: null,
    stepSeq: 0,
    results: {},
    inFlight: {},
  } as const
  await asOwner(d, job, {}, async (tx, { run, phase }) => {
    await d.access.revoke(tx, job.runId)
    const isCanceled = run.cancelRequestedAt !== null
    const isRetried = job.phase === 'plan' && job.attempt < PLAN_ATTEMPTS && !isCanceled
    await appendLog(tx, phase, isRetried ? retryText(job) : lossText(d, job, { run, phase }))
    if (!isRetried) await endPhase(d.runs, tx, run, isCanceled ? 'phase-canceled' : 'fail')
    await updateOwnJob(tx, job, isRetried ? again : { status: 'lost', finishedAt: d.clock.now() })
  })
}

const retryText = (job: JobRow): string => `The runner was lost; planning again (attempt ${job.attempt + 1} of ${PLAN_ATTEMPTS}).\n`

const lossText = (d: ControllerDeps, job: JobRow, { run, phase }: Pick<LockedPhase, 'run' | 'phase'>): string => {
  const detail =
    job.phase === 'plan'
      ? 'The runner was lost during the plan. Start a new run.'
      : [
          'The runner was lost during the apply. Every resource that was finished is in the state; start a new run to finish the rest.',
          ...inFlightText('it was lost', job.inFlight),
        ].join('\n')
  const errors = [['Runner lost', detail] as const, ...keptAsideText(phase)]
  return errors.map(([summary, text]) => errorLines(run.logFormat, d.clock.now(), summary, text)).join('')
}
