import { AppError } from '../../platform/errors.ts'

/** Nothing to run: neither installed nor to be had. `where` is the URL asked, without credentials. */
export const engineUnavailable = (version: string, where: string, reason: string, cause?: unknown): AppError =>
  new AppError(
    'ENGINE_UNAVAILABLE',
    `Terraform ${version} is not installed and could not be downloaded from ${where}: ${reason}. ` +
      `Put a terraform ${version} on PATH, or set --release-mirror to a mirror you can reach.`,
    { cause, retryable: true },
  )

/** Something was downloaded, and it is not what a trusted key vouches for. */
export const engineRejected = (version: string, where: string, reason: string, cause?: unknown): AppError =>
  new AppError(
    'ENGINE_BAD_CHECKSUM',
    `Terraform ${version} from ${where} was rejected: ${reason}. Nothing of it was kept. ` +
      `Put a terraform ${version} on PATH, or set --release-mirror to a mirror that serves the vendor's signed files unchanged.`,
    { cause },
  )

/** The innermost message, since fetch hides "connect ECONNREFUSED" behind "fetch failed". */
export const failureReason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'no answer in time'
  if (error instanceof AggregateError && error.errors.length > 0) return failureReason(error.errors[0])
  return error.cause === undefined ? error.message : failureReason(error.cause)
}
