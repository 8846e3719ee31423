import { errorMessage } from '../../platform/errors.ts'
import { ErrorCode, StepOutcome, StepResult } from '../gen/runner/v1/runner.ts'
import { RunnerError } from '../runner.ts'
import { conclude, EngineFailure, stoppedReport } from './engine/conclude.ts'
import { Stopped } from './engine/run-engine.ts'
import type { StepOutput } from './operation/make-operation.ts'
import type { Session, Step, StepReport } from './session.ts'
import { StepError } from './step-error.ts'

/** Runs a step to its result, whatever it throws; never rejects. Texts of errors are masked. */
export const runStep = async <R>(session: Session, step: Step<R>, request: R, output: StepOutput): Promise<StepResult> => {
  const { reason } = session.stop
  const report =
    reason === undefined ? await step(session, request, output).catch((error: unknown) => reportOf(error, session)) : stoppedReport(reason)
  const errors = (report.errors ?? []).map((error) => ({ ...error, message: session.mask.text(error.message) }))
  return StepResult.create({ outcome: StepOutcome.FAILED, ...report, errors })
}

const reportOf = (error: unknown, session: Session): StepReport => {
  const { reason } = session.stop
  // What fails while the phase is being ended, an engine that was just asked for its version perhaps, fails because of that.
  if ((error instanceof Stopped || error instanceof StepError) && reason !== undefined) return stoppedReport(reason)
  if (error instanceof EngineFailure) return conclude(error.exit, reason, ErrorCode.INTERNAL, [])
  if (error instanceof StepError) return failed(error.code, error.message)
  if (error instanceof RunnerError && error.code === 'BAD_SLUG') return failed(ErrorCode.BAD_SLUG, error.message)
  if (error instanceof RunnerError && error.code === 'SLUG_TOO_LARGE') return failed(ErrorCode.SLUG_TOO_LARGE, error.message)
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return failed(ErrorCode.DISK_FULL, 'The disk of the runner is full.')
  session.log.error({ reason: session.mask.text(errorMessage(error)) }, 'a step failed unexpectedly')
  return failed(ErrorCode.INTERNAL, 'The step failed unexpectedly; the log of the runner says why.')
}

const failed = (code: ErrorCode, message: string): StepReport => ({
  outcome: StepOutcome.FAILED,
  errors: [{ code, message, retryable: false, details: {} }],
})
