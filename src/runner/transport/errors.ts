import { Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { Log } from '../../platform/log.ts'
import { RunnerError, type RunnerErrorCode } from '../runner.ts'

/** Trailing metadata that carries the RunnerErrorCode, which is finer than a gRPC status. */
const CODE_KEY = 'terrane-error-code'

const STATUS: Record<RunnerErrorCode, status> = {
  LEASE_FENCED: status.FAILED_PRECONDITION,
  OP_CONFLICT: status.FAILED_PRECONDITION,
  FAILED_PRECONDITION: status.FAILED_PRECONDITION,
  CLOCK_SKEW: status.FAILED_PRECONDITION,
  INVALID_ARGUMENT: status.INVALID_ARGUMENT,
  BAD_SLUG: status.INVALID_ARGUMENT,
  NOT_FOUND: status.NOT_FOUND,
  SLUG_TOO_LARGE: status.RESOURCE_EXHAUSTED,
  DISK_FULL: status.RESOURCE_EXHAUSTED,
  RESOURCE_EXHAUSTED: status.RESOURCE_EXHAUSTED,
  PEER_IDENTITY: status.UNAUTHENTICATED,
  UNAVAILABLE: status.UNAVAILABLE,
  DEADLINE: status.DEADLINE_EXCEEDED,
  INTERNAL: status.INTERNAL,
}

/** What a status means that some layer below us made, without our code beside it. */
const BARE: Partial<Record<status, RunnerErrorCode>> = {
  [status.CANCELLED]: 'UNAVAILABLE',
  [status.UNAVAILABLE]: 'UNAVAILABLE',
  [status.DEADLINE_EXCEEDED]: 'DEADLINE',
  [status.INVALID_ARGUMENT]: 'INVALID_ARGUMENT',
  [status.NOT_FOUND]: 'NOT_FOUND',
  [status.RESOURCE_EXHAUSTED]: 'RESOURCE_EXHAUSTED',
  [status.FAILED_PRECONDITION]: 'FAILED_PRECONDITION',
  [status.UNAUTHENTICATED]: 'PEER_IDENTITY',
  [status.PERMISSION_DENIED]: 'PEER_IDENTITY',
}

export type GrpcStatus = { code: status; details: string; metadata: Metadata }

/** What the server sends for `error`. Anything but a RunnerError is logged and leaves as `INTERNAL` without its text. */
export const toGrpcStatus = (error: unknown, log: Log): GrpcStatus => {
  const known = error instanceof RunnerError ? error : undefined
  if (!known) log.error({ err: error }, 'the runner failed')
  const code = known?.code ?? 'INTERNAL'
  const metadata = new Metadata()
  metadata.set(CODE_KEY, code)
  return { code: STATUS[code], details: known?.message ?? 'the runner failed, see its log', metadata }
}

/** The RunnerError behind an error of a gRPC call; any other error is nobody's to translate and comes back as it is. */
export const fromGrpcError = (error: unknown): unknown => {
  if (!isServiceError(error)) return error
  const sent = error.metadata?.get(CODE_KEY)[0]
  const code = isRunnerErrorCode(sent) ? sent : (BARE[error.code] ?? 'INTERNAL')
  return new RunnerError(code, error.details || error.message, { cause: error })
}

/** True when no runner answered: the connection failed or broke. */
export const isConnectionFailure = (error: unknown): boolean =>
  isServiceError(error) && error.code === status.UNAVAILABLE && !isRunnerErrorCode(error.metadata?.get(CODE_KEY)[0])

const isServiceError = (error: unknown): error is ServiceError => error instanceof Error && 'code' in error && 'details' in error

const isRunnerErrorCode = (value: unknown): value is RunnerErrorCode => typeof value === 'string' && Object.hasOwn(STATUS, value)
