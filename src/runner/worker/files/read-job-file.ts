import type { Isolation } from '../options.ts'
import { openJobFile } from './open-job-file.ts'

/** The text of a file of the job, see `openJobFile`. */
export const readJobFile = async (path: string, isolation: Isolation | undefined): Promise<string | undefined> => {
  const handle = await openJobFile(path, isolation)
  try {
    return await handle?.readFile('utf8')
  } finally {
    await handle?.close()
  }
}
