import type { ErrorCode } from '../gen/runner/v1/runner.ts'

/** Ends a step as failed. The text is shown to the user, masked. */
export class StepError extends Error {
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string) {
    super(message)
    this.name = 'StepError'
    this.code = code
  }
}
