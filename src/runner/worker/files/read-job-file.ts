import { closeSync, readFileSync } from 'node:fs'
import type { Isolation } from '../options.ts'
import { openJobFile } from './open-job-file.ts'

/** The text of a file of the job, see `openJobFile`. */
export const readJobFile = (path: string, isolation: Isolation | undefined): string | undefined => {
  const file = openJobFile(path, isolation)
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}
