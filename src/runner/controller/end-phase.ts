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
  end(d, job, (tx, { run, phase }) =>
    phase.erroredStateBlobKey === null ? finishApply(d.runs, tx, run, apply.counts ?? noCounts) : endPhase(d.runs, tx, run, 'fail'),
  )

/**
 * A step that did not succeed ends the phase: as canceled when it was told to, else as failed. An engine that was killed left resources in
 * flight; they are named.
 */
export const endUnfinished = ({ d, job }: Pick<Drive, 'd' | 'job'>, { outcome, errors }: StepSummary): Promise<void> => {
  const how = outcome === 'canceled' ? 'phase-canceled' : 'fail'
  const told = outcome === 'timed-out' ? [timeLimitText(job)] : errors.map((message): ErrorText => ['Run failed', message])
  return end(d, job, (tx, locked) => endPhase(d.runs, tx, locked.run, how), ...told, ...cutShort(job))
}

const timeLimitText = ({ phase, deadline }: JobRow): ErrorText => [
  'Time limit reached',
  [
    `The ${phase} was interrupted at its time limit (${deadline?.toISOString() ?? 'none'}).`,
    ...(phase === 'apply' ? ['Every resource that was finished is in the state; start a new run to finish the rest.'] : []),
    `The limit is the shortest of --${phase}-timeout of the server, ${phase}-timeout of the organization, and the environment`,
    `variable TERRANE_${phase.toUpperCase()}_TIMEOUT of the workspace.`,
  ].join(' '),
]

/**
 * The phase is over, whatever its controller was doing. `isUnsaved`: its directory holds a state that could not be stored; the job is not
 * marked as finished then, so that the directory stays for an operator. Throws Fenced.
 */
export const endAnyhow = (
  d: ControllerDeps,
  job: JobRow,
  { how, error, isUnsaved }: { how: 'fail' | 'phase-canceled'; error: ErrorText; isUnsaved: boolean },
): Promise<void> =>
  end(
    d,
    isUnsaved ? { ...job, status: 'lost' } : job,
    (tx, { run }) => endPhase(d.runs, tx, run, how),
    error,
    ...cutShort(job),
    ...(isUnsaved ? [unsavedText] : []),
  )

const unsavedText: ErrorText = [
  'State not stored',
  'The last state of this apply could not be stored. It is in the work directory of the run, on the machine of the server.',
]

/** The phase failed for a reason of the server's. */
export const endFailed = (d: ControllerDeps, job: JobRow, error: ErrorText): Promise<void> =>
  end(d, job, (tx, { run }) => endPhase(d.runs, tx, run, 'fail'), error, ...cutShort(job))

const cutShort = (job: JobRow): ErrorText[] =>
  job.phase === 'apply' ? inFlightText('terraform was ended', job.inFlight).map((text) => ['Apply cut short', text]) : []

/** Says where a state is that the workspace could not take. */
export const keptAsideText = ({ id, erroredStateBlobKey }: LockedPhase['phase']): ErrorText[] =>
  erroredStateBlobKey === null
    ? []
    : [
        [
          'State not stored',
          `The workspace could not take the last state of this apply. Download it from /api/v2/applies/${id}/errored-state.`,
        ],
      ]

export type ErrorText = readonly [summary: string, detail: string]

/** Ends the phase and its job in one transaction. The errors go to the log before the status that ends it. Throws Fenced. */
const end = (
  d: ControllerDeps,
  job: JobRow,
  change: (tx: RunnerTx, locked: LockedPhase) => Promise<void>,
  ...errors: ErrorText[]
): Promise<void> => {
  const patch = job.status === 'lost' ? ({ status: 'lost' } as const) : ({ status: 'done', finishedAt: d.clock.now() } as const)
  return asOwner(d, job, patch, async (tx, locked) => {
    const { run, phase } = locked
    const all = [...errors, ...keptAsideText(phase)]
    const text = all.map(([summary, detail]) => errorLines(run.logFormat, d.clock.now(), summary, detail)).join('')
    await appendLog(tx, phase, text)
    await d.access.revoke(tx, job.runId)
    await change(tx, locked)
  })
}
