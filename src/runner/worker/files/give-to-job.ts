import { chmod, chown, rename } from 'node:fs/promises'
import type { Isolation } from '../options.ts'

/** Moves a file of the worker to where the engine reads it, as a private file of the job user. */
export const giveToJob = async (from: string, to: string, isolation: Isolation | undefined): Promise<void> => {
  await chmod(from, 0o600)
  if (isolation !== undefined) await chown(from, isolation.uid, isolation.gid)
  await rename(from, to)
}
