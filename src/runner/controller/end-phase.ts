import { appendLog, endPhase, errorLines, finishApply, finishPlan, type LockedPhase, type PlanOutcome } from '../../runs/index.ts'
import type { StepSummary } from '../tables.ts'
import { asOwner } from './as-owner.ts'
import type { ControllerDeps, JobRow, RunnerTx } from './deps.ts'
import type { Drive } from './drive.ts'
import { inFlightText } from './in-flight-text.ts'

const noCounts = { add: 0, change: 0, remove: 0, import: 0 }

export const endPlan = (
  { d, job }: Drive,
  plan: StepSummary,
  artifacts: Omit<PlanOutcome, 'counts' | 'hasChanges' | 'hasGeneratedConfiguration'>,
): Promise<void> =>
  end(d, job, (tx, { run }) =>
    finishPlan(d.runs, tx, run, {
      ...artifacts,
      counts: plan.counts ?? noCounts,
      hasChanges: plan.hasChanges,
      hasGeneratedConfiguration: plan.hasGeneratedConfig,
    }),
  )

export const endApply = ({ d, job }: Pick<Drive, 'd' | 'job'>, apply: StepSummary): Promise<void> =>
  end(d, job, (tx, { run }) => finishApply(d.runs, tx, run, apply.counts ?? noCounts))

/**
 * A step that did not succeed ends the phase: as canceled when it was told to, else as failed. An engine that was killed left resources in
 * flight; they are named.
 */
export const endUnfinished = ({ d, job }: Pick<Drive, 'd' | 'job'>, { outcome, errors }: StepSummary): Promise<void> => {
  const how = outcome === 'canceled' ? 'phase-canceled' : 'fail'
  const told = outcome === 'timed-out' ? [timeLimit] : errors.map((message): ErrorText => ['Run failed', message])
  return end(d, job, (tx, locked) => endPhase(d.runs, tx, locked.run, how), ...told, ...cutShort(job))
}

const timeLimit: ErrorText = ['Time limit reached', 'The phase took longer than its time limit and was interrupted.']

/** The phase failed for a reason of the server's. */
export const endFailed = (d: ControllerDeps, job: JobRow, error: ErrorText): Promise<void> =>
  end(d, job, (tx, { run }) => endPhase(d.runs, tx, run, 'fail'), error, ...cutShort(job))

const cutShort = (job: JobRow): ErrorText[] =>
  job.phase === 'apply' ? inFlightText('terraform was ended', job.inFlight).map((text) => ['Apply cut short', text]) : []

type ErrorText = readonly [summary: string, detail: string]

/** Ends the phase and its job in one transaction. The errors go to the log before the status that ends it. Throws Fenced. */
const end = (
  d: ControllerDeps,
  job: JobRow,
  change: (tx: RunnerTx, locked: LockedPhase) => Promise<void>,
  ...errors: ErrorText[]
): Promise<void> =>
  asOwner(d, job, { status: 'done', finishedAt: d.clock.now() }, async (tx, locked) => {
    const { run, phase } = locked
    const text = errors.map(([summary, detail]) => errorLines(run.logFormat, d.clock.now(), summary, detail)).join('')
    await appendLog(tx, phase, text)
    await d.access.revoke(tx, job.runId)
    await change(tx, locked)
  })
