import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RunnerError } from '../../runner.ts'
import type { Isolation } from '../options.ts'
import type { RunPaths } from '../run-directory.ts'

/** Makes the tree of run-directory.ts. Throws RunnerError `FAILED_PRECONDITION` when it exists: what an earlier phase left is never used. */
export const createRunDirectory = async (paths: RunPaths, isolation: Isolation | undefined): Promise<void> => {
  await mkdir(dirname(paths.root), { recursive: true, mode: 0o711 })
  // The job user passes through, it cannot list.
  if (isolation !== undefined) chmodSync(dirname(paths.root), 0o711)
  await mkdir(paths.root, { mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause
    throw new RunnerError('FAILED_PRECONDITION', `The run directory ${paths.root} exists already. Remove what the earlier runner left.`)
  })
  // In one go: a run waits for these, and nothing else happens in the worker yet.
  if (isolation !== undefined) chmodSync(paths.root, 0o711)
  for (const path of [paths.work, paths.state, paths.home, paths.tmp, paths.out]) {
    mkdirSync(path, { mode: 0o700 })
    if (isolation !== undefined) chownSync(path, isolation.uid, isolation.gid)
  }
  for (const path of [paths.private, paths.uploads, paths.artifacts, paths.operations, paths.journal]) mkdirSync(path, { mode: 0o700 })
}
