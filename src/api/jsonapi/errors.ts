import { AppError, type ErrorSource, errorCodes } from '../../platform/errors.ts'

type ErrorObject = { status: string; title: string; detail?: string; source?: ErrorSource }

export type ErrorDocument = { status: number; document: { errors: ErrorObject[] } }

/**
 * The error document of an AppError, or of an AggregateError of them. Anything else is unknown: undefined, and the caller logs it and
 * sends `internalError`.
 */
export const errorDocument = (error: unknown): ErrorDocument | undefined => {
  const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [error]
  const known = errors.filter((each) => each instanceof AppError)
  const [first] = known
  if (first === undefined || known.length < errors.length) return undefined
  return { status: first.status, document: { errors: known.map(errorObject) } }
}

/** Tells nothing but the request id, which finds the cause in the log. */
export const internalError = (requestId: string): ErrorDocument => ({
  status: 500,
  document: { errors: [{ status: '500', title: errorCodes.INTERNAL.title, detail: `Request id ${requestId}` }] },
})

const errorObject = (error: AppError): ErrorObject => ({
  status: String(error.status),
  title: error.title,
  ...(error.detail === '' ? {} : { detail: error.detail }),
  ...(error.source === undefined ? {} : { source: error.source }),
})
