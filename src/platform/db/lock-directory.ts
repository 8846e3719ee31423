import DatabaseDriver from 'better-sqlite3'
import { join } from 'node:path'
import { AppError } from '../errors.ts'

/**
 * Makes this process the only server of a data directory whose database is a SQLite file: two would take each other's runs. The lock is the
 * operating system's, held by a transaction on a file of its own, so it ends with the process, however that ends. Throws AppError CONFLICT.
 */
export const lockDirectory = (dataDir: string): { release(): void } => {
  const lock = new DatabaseDriver(join(dataDir, 'server.lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error
    throw new AppError('CONFLICT', `Another server is using ${dataDir}. Stop it first, give this one a --data directory of its own, or use PostgreSQL for several servers.`)
  }
  return { release: () => lock.close() }
}
