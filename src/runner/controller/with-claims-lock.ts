import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { lockFile } from '../../platform/db/lock-file.ts'

const POLL_MS = 5

/** Runs `work` while no other process of this machine, and no other call here, does so for `directory`. */
export const withClaimsLock = async <R>(directory: string, work: () => Promise<R>): Promise<R> => {
  const file = join(directory, 'lock')
  let lock = lockFile(file)
  while (lock === undefined) {
    await delay(POLL_MS)
    lock = lockFile(file)
  }
  try {
    return await work()
  } finally {
    lock.release()
  }
}
