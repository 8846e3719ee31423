import { appendLog, endPhase, errorLines, finishApply, finishPlan, type PlanOutcome } from '../../runs/index.ts'
import type { StepSummary } from '../tables.ts'
import type { JobRow, RunnerTx } from './deps.ts'
import { type Drive, Fenced, phaseIdOf } from './drive.ts'
import { updateOwnJob } from './queries.ts'

const noCounts = { add: 0, change: 0, remove: 0, import: 0 }

/**
 * Ends the phase and its job in one transaction; the run's lock is taken before the job's, the one lock order. `text` goes to the log before the
 * status that ends it. Throws Fenced.
 */
const end = async (drive: Drive, text: string, change: (tx: RunnerTx) => Promise<void>): Promise<void> => {
  const { d, job } = drive
  await d.db.transaction(async (tx) => {
    await appendLog(tx, { id: phaseIdOf(job, drive.material), logBytes: drive.logBytes }, text)
    await change(tx)
    const done: Partial<JobRow> = { status: 'done', finishedAt: d.clock.now() }
    if ((await updateOwnJob(tx, job, done)) === undefined) throw new Fenced()
  })
}

export const endPlan = (
  drive: Drive,
  plan: StepSummary,
  artifacts: Omit<PlanOutcome, 'counts' | 'hasChanges' | 'hasGeneratedConfiguration'>,
): Promise<void> =>
  end(drive, '', (tx) =>
    finishPlan(drive.d.runs, tx, drive.job.runId, {
      ...artifacts,
      counts: plan.counts ?? noCounts,
      hasChanges: plan.hasChanges,
      hasGeneratedConfiguration: plan.hasGeneratedConfig,
    }),
  )

export const endApply = (drive: Drive, apply: StepSummary): Promise<void> =>
  end(drive, '', (tx) => finishApply(drive.d.runs, tx, drive.job.runId, apply.counts ?? noCounts))

/** A step that did not succeed ends the phase: as canceled when it was told to, else as failed. */
export const endUnfinished = (drive: Drive, step: StepSummary): Promise<void> => {
  const text = step.errors.map((message) => error(drive, 'Run failed', message)).join('')
  if (step.outcome === 'canceled') return end(drive, text, (tx) => endPhase(drive.d.runs, tx, drive.job.runId, 'phase-canceled'))
  if (step.outcome === 'timed-out')
    return endFailed(drive, 'Time limit reached', 'The phase took longer than its time limit and was interrupted.')
  return end(drive, text, (tx) => endPhase(drive.d.runs, tx, drive.job.runId, 'fail'))
}

/** The phase failed for a reason of the server's. */
export const endFailed = (drive: Drive, summary: string, detail: string): Promise<void> =>
  end(drive, error(drive, summary, detail), (tx) => endPhase(drive.d.runs, tx, drive.job.runId, 'fail'))

const error = (drive: Drive, summary: string, detail: string): string =>
  errorLines(drive.material.run.logFormat, drive.d.clock.now(), summary, detail)
