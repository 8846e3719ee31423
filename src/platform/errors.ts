/**
 * The closed list of error codes. `docs/errors.md` is generated from it: `title` is what clients see first,
 * `doc` says what the reader can do about it.
 */
export const errorCodes = {
  BAD_REQUEST: { status: 400, title: 'bad request', doc: 'The request could not be understood. The detail names the part.' },
  INVALID_INCLUDE: { status: 400, title: 'Invalid include parameter', doc: 'An include path is unknown for this resource.' },
  UNAUTHORIZED: {
    status: 401,
    title: 'unauthorized',
    doc: 'The token is absent, malformed, revoked or expired. Sign in again or make a new token.',
  },
  FORBIDDEN: { status: 403, title: 'forbidden', doc: 'You can see the object, but this action on it is not allowed to you.' },
  NOT_FOUND: {
    status: 404,
    title: 'not found',
    doc: 'It does not exist, or you may not see it. Check the spelling and the rights of your token.',
  },
  CONFLICT: {
    status: 409,
    title: 'conflict',
    doc: 'The object is in a state that does not allow this. Read it again and retry if it still makes sense.',
  },
  GONE: { status: 410, title: 'gone', doc: 'The link has been used or has expired. Ask for a new one.' },
  PRECONDITION_FAILED: { status: 412, title: 'precondition failed', doc: 'Somebody else changed the object meanwhile.' },
  TOO_LARGE: { status: 413, title: 'payload too large', doc: 'The body is larger than the limit named in the detail.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'unsupported media type', doc: 'Send application/vnd.api+json or application/json.' },
  INVALID: { status: 422, title: 'invalid attribute', doc: 'A value was refused. The detail says which and why.' },
  BAD_SLUG: {
    status: 422,
    title: 'invalid configuration archive',
    doc: 'The uploaded archive breaks a safety rule. The detail names the entry and the rule.',
  },
  SLUG_TOO_LARGE: {
    status: 422,
    title: 'configuration archive too large',
    doc: 'The archive, or what it unpacks to, is over a limit. Exclude files with .terraformignore.',
  },
  ENGINE_UNAVAILABLE: {
    status: 422,
    title: 'terraform version unavailable',
    doc: 'The version is neither installed nor obtainable from the release mirror.',
  },
  ENGINE_BAD_CHECKSUM: {
    status: 422,
    title: 'terraform release rejected',
    doc: 'The checksum or signature of the downloaded release does not match.',
  },
  RATE_LIMITED: { status: 429, title: 'Too many requests', doc: 'Wait for the time in X-RateLimit-Reset.' },
  INTERNAL: { status: 500, title: 'internal error', doc: 'Something unexpected failed. The request id finds it in the log of the server.' },
  UNAVAILABLE: { status: 503, title: 'service unavailable', doc: 'The data is still being prepared. Repeat the request.' },
} as const

export type ErrorCode = keyof typeof errorCodes

export type ErrorSource = { pointer?: string; parameter?: string }

type Options = {
  /** Replaces the title of the code where clients look for another text. */
  title?: string
  /** For logs only; may name internals, never secrets. */
  internal?: string
  cause?: unknown
  source?: ErrorSource
  retryable?: boolean
}

/** The one error class for what goes wrong in a way we know. `detail` is shown to the caller: no secret, no SQL, no path. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly detail: string
  readonly title: string
  readonly internal: string | undefined
  readonly source: ErrorSource | undefined
  readonly retryable: boolean

  constructor(code: ErrorCode, detail: string, options: Options = {}) {
    super(`${code}: ${detail}`, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.detail = detail
    this.title = options.title ?? errorCodes[code].title
    this.internal = options.internal
    this.source = options.source
    this.retryable = options.retryable ?? false
  }

  get status(): number {
    return errorCodes[this.code].status
  }
}

export const notFound = (detail = ''): AppError => new AppError('NOT_FOUND', detail)
export const conflict = (detail: string, options?: Options): AppError => new AppError('CONFLICT', detail, options)

/** 422 for one attribute; `attribute` is the wire name, e.g. `terraform-version`. */
export const invalid = (detail: string, attribute?: string): AppError =>
  new AppError('INVALID', detail, attribute === undefined ? {} : { source: { pointer: `/data/attributes/${attribute}` } })

/** The message of anything thrown, for logs. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
