import { AppError, type ErrorCode } from '../platform/errors.ts'

/** 2: wrong usage, 3: refused, 4: not found, 1: anything else. */
export const exitCodeOf = (error: unknown): number => (error instanceof AppError ? (codes[error.code] ?? 1) : 1)

const codes: Partial<Record<ErrorCode, number>> = {
  BAD_REQUEST: 2,
  INVALID: 2,
  UNAUTHORIZED: 3,
  FORBIDDEN: 3,
  CONFLICT: 3,
  NOT_FOUND: 4,
}
