import { join } from 'node:path'
import { type ApplyRequest, ErrorCode, StepOutcome } from '../../gen/runner/v1/runner.ts'
import { conclude } from '../engine/conclude.ts'
import { runLogged } from '../engine/run-logged.ts'
import { preparedOf } from '../prepared-of.ts'
import type { Step, StepReport } from '../session.ts'
import { makeRecordedProgress } from '../state/make-recorded-progress.ts'
import { makeStateWatcher } from '../state/make-state-watcher.ts'
import { outputSwitch } from './output-switch.ts'

/** `apply` of the plan file, with every state it writes on its way to the controller. The last state is queued before the result is given. */
export const apply: Step<ApplyRequest> = async (session, request, output) => {
  const { paths, isolation, outbox } = session
  const { directory, baseline } = preparedOf(session)
  let foreign: string | undefined
  const recorded = makeRecordedProgress(output.progress)
  const watcher = makeStateWatcher({
    file: paths.stateFile,
    erroredFile: join(directory, 'errored.tfstate'),
    isolation,
    baseline,
    onState: async (state, identity) => {
      await outbox.add(state, identity)
      recorded.saw(state)
    },
    onForeign: (text) => {
      foreign = text
    },
  })
  const parallelism = request.parallelism > 0 ? [`-parallelism=${request.parallelism}`] : []
  const args = ['apply', '-input=false', '-lock=false', ...outputSwitch(request.logFormat), ...parallelism, paths.planFile]
  let report: StepReport
  let isKilled = true
  try {
    const { exit, observation } = await runLogged(session, args, { ...output, progress: recorded.progress })
    isKilled = exit.signal !== ''
    const ended = { exitCode: exit.exitCode, summary: observation.summary }
    report =
      exit.exitCode === 0
        ? { ...ended, outcome: StepOutcome.SUCCEEDED }
        : { ...ended, ...conclude(exit, session.stop.reason, ErrorCode.APPLY_FAILED, observation.errors) }
  } finally {
    await watcher.finish()
    if (!isKilled) recorded.flush()
    outbox.finish()
  }
  if (foreign === undefined) return report
  const alarm = { code: ErrorCode.STATE_SERIAL, message: foreign, retryable: false, details: {} }
  return {
    ...report,
    outcome: report.outcome === StepOutcome.SUCCEEDED ? StepOutcome.FAILED : report.outcome,
    errors: [...(report.errors ?? []), alarm],
  }
}
