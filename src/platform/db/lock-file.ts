import DatabaseDriver from 'better-sqlite3'

/**
 * Takes the lock that `file` (made when missing) stands for; undefined when somebody else has it, in this process or another. It is the
 * operating system's, held by a SQLite transaction, so it ends with the process, however that ends.
 */
export const lockFile = (file: string): { release(): void } | undefined => {
  const lock = new DatabaseDriver(file, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return undefined
    throw error
  }
  return { release: () => lock.close() }
}
