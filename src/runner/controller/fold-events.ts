import { ErrorCode, StepOutcome, type StepEvent, type StepResult } from '../gen/runner/v1/runner.ts'
import type { StepSummary } from '../tables.ts'
import type { JobRow } from './deps.ts'

/** Steps whose output is the run's log. */
const logged: ReadonlySet<string> = new Set(['init', 'plan', 'apply'])

export type Folded = { log: Buffer; patch: Pick<JobRow, 'step' | 'stepSeq' | 'inFlight' | 'results'> }

/** What new events of a step mean for its job and for the log. Undefined when all of them are known. Pure. */
export const foldEvents = (
  job: Pick<JobRow, 'stepSeq' | 'inFlight' | 'results'>,
  step: string,
  events: readonly StepEvent[],
): Folded | undefined => {
  const parts: Buffer[] = []
  const inFlight = { ...job.inFlight }
  let stepSeq = job.stepSeq
  let summary: StepSummary | undefined
  for (const { seq, event } of events) {
    if (event === undefined || event.$case === 'ping' || seq <= stepSeq) continue
    stepSeq = seq
    if (event.$case === 'log' && logged.has(step)) parts.push(Buffer.from(event.value.bytes))
    else if (event.$case === 'notice') parts.push(Buffer.from(`${event.value.text}\n`))
    else if (event.$case === 'progress' && event.value.state === 'start') inFlight[event.value.address] = event.value.action
    else if (event.$case === 'progress') delete inFlight[event.value.address]
    else if (event.$case === 'result') summary = summarize(event.value)
  }
  if (stepSeq === job.stepSeq) return undefined
  const results = summary === undefined ? job.results : { ...job.results, [step]: summary }
  return { log: Buffer.concat(parts), patch: { step, stepSeq, inFlight, results } }
}

/** Errors of the engine itself are in its output already; the others are for the controller to tell. */
const toldByEngine: ReadonlySet<number> = new Set([
  ErrorCode.INIT_FAILED,
  ErrorCode.PLAN_FAILED,
  ErrorCode.APPLY_FAILED,
  ErrorCode.CANCELED,
])

const summarize = (result: StepResult): StepSummary => ({
  outcome:
    result.outcome === StepOutcome.SUCCEEDED
      ? 'succeeded'
      : result.outcome === StepOutcome.CANCELED
        ? 'canceled'
        : result.outcome === StepOutcome.TIMED_OUT
          ? 'timed-out'
          : 'failed',
  hasChanges: result.hasChanges,
  hasGeneratedConfig: result.generatedConfig,
  counts: result.summary ?? null,
  ...(result.providers.length === 0 ? {} : { providers: result.providers }),
  errors: result.errors.filter((error) => !toldByEngine.has(error.code)).map((error) => error.message),
  artifacts: result.artifacts.map(({ kind, sha256 }) => ({ kind, sha256 })),
})
