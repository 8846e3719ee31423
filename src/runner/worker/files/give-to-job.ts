import { chmodSync, chownSync, renameSync } from 'node:fs'
import type { Isolation } from '../options.ts'

/** Moves a file of the worker to where the engine reads it, as a private file of the job user. */
export const giveToJob = (from: string, to: string, isolation: Isolation | undefined): void => {
  chmodSync(from, 0o600)
  if (isolation !== undefined) chownSync(from, isolation.uid, isolation.gid)
  renameSync(from, to)
}
