import { openPromise } from 'yauzl'
import { ErrorCode } from '../../gen/runner/v1/runner.ts'
import { StepError } from '../step-error.ts'

/**
 * A plan file (zip, entry `tfplan`) names the directory of the state that it writes to, `workspaces` of the run directory. Another one than
 * ours would be written without anybody watching, so it throws StepError `CONFIG_INVALID`. What is no plan file at all is left to the
 * engine to refuse.
 */
export const checkPlanPath = async (planFile: string, workspaces: string): Promise<void> => {
  const named = await entryIncludes(planFile, 'tfplan', Buffer.from(workspaces)).catch(() => undefined)
  if (named !== false) return
  throw new StepError(
    ErrorCode.CONFIG_INVALID,
    'The plan was made in another directory than the apply would run in, or by an older runner. Give all runners the same work directory, and plan again.',
  )
}

/** Undefined when there is no such entry. */
const entryIncludes = async (zipPath: string, name: string, wanted: Buffer): Promise<boolean | undefined> => {
  const zip = await openPromise(zipPath)
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== name) continue
      let tail: Buffer = Buffer.alloc(0)
      for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
        const window = Buffer.concat([tail, chunk])
        if (window.includes(wanted)) return true
        tail = window.subarray(Math.max(0, window.length - wanted.length))
      }
      return false
    }
    return undefined
  } finally {
    zip.close()
  }
}
