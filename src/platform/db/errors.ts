import { DrizzleQueryError } from 'drizzle-orm'
import { AppError, errorMessage } from '../errors.ts'

type DriverError = Error & { code?: string; constraint?: string }

/** The driver's own error below drizzle's wrapper, whose message holds SQL and parameters and must reach no log. */
const driverError = (error: unknown): DriverError | undefined => {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = (current as DriverError).code
    if (typeof code === 'string' && (code.startsWith('SQLITE_') || /^[0-9A-Z]{5}$/.test(code))) return current
  }
  return undefined
}

/** Whether PostgreSQL asks to run the transaction again. */
export const isRetryable = (error: unknown): boolean => {
  const code = driverError(error)?.code
  return code === '40001' || code === '40P01'
}

/** Whether a unique index or key was violated, on either dialect. */
export const isUniqueViolation = (error: unknown): boolean => {
  if (error instanceof AppError) return error.internal === 'unique violation'
  const code = driverError(error)?.code
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === '23505'
}

/** Domain errors pass; the database's own become AppErrors or plain errors without SQL and parameters. */
export const translateDbError = (error: unknown): unknown => {
  if (error instanceof AppError) return error
  const driver = driverError(error)
  // a lost connection has no code of the database
  if (driver === undefined) return error instanceof DrizzleQueryError ? new Error(`database error: ${errorMessage(error.cause)}`) : error
  if (isUniqueViolation(driver)) return new AppError('INVALID', 'has already been taken', { internal: 'unique violation' })
  if (driver.code === 'SQLITE_CONSTRAINT_FOREIGNKEY' || driver.code === '23503')
    return new AppError('NOT_FOUND', '', { internal: 'foreign key' })
  return new Error(`database error ${driver.code ?? ''}: ${driver.message}`)
}
