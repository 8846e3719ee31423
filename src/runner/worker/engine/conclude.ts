import { ErrorCode, type ErrorInfo, StepOutcome } from '../../gen/runner/v1/runner.ts'
import type { StepReport } from '../session.ts'
import type { EngineExit } from './make-engine.ts'
import type { StopReason } from './make-stop.ts'

/** A command of ours did not succeed; the worker concludes from it. */
export class EngineFailure extends Error {
  readonly exit: EngineExit
  constructor(exit: EngineExit) {
    super(`the engine ended with ${exit.signal === '' ? `exit code ${exit.exitCode}` : exit.signal}`)
    this.name = 'EngineFailure'
    this.exit = exit
  }
}

const STOPPED: Record<StopReason, { outcome: StepOutcome; code: ErrorCode; message: string }> = {
  canceled: { outcome: StepOutcome.CANCELED, code: ErrorCode.CANCELED, message: 'The step was canceled.' },
  killed: { outcome: StepOutcome.CANCELED, code: ErrorCode.FORCE_CANCELED, message: 'The step was canceled by force.' },
  'timed-out': { outcome: StepOutcome.TIMED_OUT, code: ErrorCode.DEADLINE, message: 'The time for this phase is over.' },
  orphaned: {
    outcome: StepOutcome.CANCELED,
    code: ErrorCode.CANCELED,
    message: 'The server was out of reach for too long, so the step was stopped.',
  },
  'disk-full': {
    outcome: StepOutcome.FAILED,
    code: ErrorCode.DISK_FULL,
    message: 'The disk of the runner is full, so the step was stopped.',
  },
}

/** The report of a step that was stopped, or did not start because the phase was. */
export const stoppedReport = (reason: StopReason): StepReport => {
  const { outcome, code, message } = STOPPED[reason]
  return { outcome, errors: [{ code, message, retryable: false, details: {} }] }
}

/**
 * What the end of a command that did not succeed means: stopped because we asked for it, killed by somebody else, or
 * failed with `code` and the errors the engine wrote. Pure; texts are not masked.
 */
export const conclude = (exit: EngineExit, reason: StopReason | undefined, code: ErrorCode, errors: readonly string[]): StepReport => {
  const ended = { exitCode: exit.exitCode, signal: exit.signal }
  if (reason !== undefined) return { ...ended, ...stoppedReport(reason) }
  const failed = (errorCode: ErrorCode, message: string): ErrorInfo => ({ code: errorCode, message, retryable: false, details: {} })
  if (exit.signal === 'SIGKILL')
    return { ...ended, outcome: StepOutcome.FAILED, errors: [failed(ErrorCode.OOM, 'terraform was killed (out of memory?)')] }
  const how = exit.signal === '' ? `exit code ${exit.exitCode}` : `signal ${exit.signal}`
  const texts = errors.length > 0 ? errors : [`terraform ended with ${how}; see the log.`]
  return { ...ended, outcome: StepOutcome.FAILED, errors: texts.map((text) => failed(code, text)) }
}
