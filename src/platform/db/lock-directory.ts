import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { lockFile } from './lock-file.ts'

/**
 * Makes this process the only server of a data directory whose database is a SQLite file: two would take each other's runs. Throws AppError
 * CONFLICT.
 */
export const lockDirectory = (dataDir: string): { release(): void } => {
  const lock = lockFile(join(dataDir, 'server.lock'))
  if (lock !== undefined) return lock
  throw new AppError(
    'CONFLICT',
    `Another server is using ${dataDir}. Stop it first, give this one a --data directory of its own, or use PostgreSQL for several servers.`,
  )
}
