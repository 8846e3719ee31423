import DatabaseDriver from 'better-sqlite3'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 5

/**
 * Runs `work` while no other process of this machine, and no other call here, does so for `directory`. The lock is the operating system's, on
 * a file there, so it ends with its holder, however that ends.
 */
export const withClaimsLock = async <R>(directory: string, work: () => Promise<R>): Promise<R> => {
  const lock = new DatabaseDriver(join(directory, 'lock'), { timeout: 0 })
  try {
    while (!tryBegin(lock)) await delay(POLL_MS)
    return await work()
  } finally {
    lock.close()
  }
}

const tryBegin = (lock: DatabaseDriver.Database): boolean => {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return false
    throw error
  }
}
