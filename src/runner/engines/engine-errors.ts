import { type EngineName, engineTitles } from '../../platform/engine-name.ts'
import { AppError } from '../../platform/errors.ts'

/** Nothing to run: neither installed nor to be had. `where` is the URL asked, without credentials. */
export const engineUnavailable = (version: string, where: string, reason: string, cause?: unknown): AppError =>
  new AppError(
    'ENGINE_UNAVAILABLE',
    `Terraform ${version} is not installed and could not be downloaded from ${where}: ${reason}. ` +
      `Put a terraform ${version} on PATH, or set --release-mirror to a mirror you can reach.`,
    { cause, retryable: true },
  )

/** What the operator can do about an engine that is not downloaded. */
export const howToInstall = (what: string): string =>
  `Put ${what} on the PATH of the server, or add one to its store with: terrane engine --add FILE`

/** Nothing to run, and nowhere to get it from. */
export const engineMissing = (engine: EngineName, version: string, installed: readonly string[]): AppError =>
  new AppError(
    'ENGINE_UNAVAILABLE',
    `${engineTitles[engine]} ${version} is not installed (${installedText(installed)}), and this server does not download it. ` +
      `${howToInstall(`${engine} ${version}`)}, or choose another version for the workspace.`,
  )

export const installedText = (versions: readonly string[]): string =>
  versions.length > 0 ? `installed: ${versions.join(', ')}` : 'none is installed'

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
