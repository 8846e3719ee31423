import { realpathSync, statSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { ErrorCode } from '../../gen/runner/v1/runner.ts'
import type { Isolation } from '../options.ts'
import { StepError } from '../step-error.ts'

/**
 * Absolute path of the working directory below `root`, links resolved. Links inside the configuration are fine; anything
 * that leads outside throws StepError `BAD_SLUG`. Absent: made when `create`, else StepError `NO_CONFIG`.
 */
export const resolveWorkingDirectory = async (
  root: string,
  relative: string,
  create: boolean,
  isolation: Isolation | undefined,
): Promise<string> => {
  const parts = relative.split('/').filter((part) => part !== '' && part !== '.')
  if (relative.startsWith('/') || relative.includes('\\') || relative.includes('\0') || parts.includes('..'))
    throw new StepError(
      ErrorCode.BAD_SLUG,
      `The working directory ${JSON.stringify(relative)} must be a relative path inside the configuration.`,
    )
  if (create) await makeBelow(root, parts, isolation)
  const found = realPath(join(root, ...parts))
  if (found === undefined || !statSync(found).isDirectory())
    throw new StepError(ErrorCode.NO_CONFIG, `The working directory ${JSON.stringify(relative)} does not exist in the configuration.`)
  const inside = realpathSync.native(root)
  if (found !== inside && !found.startsWith(inside + sep))
    throw new StepError(ErrorCode.BAD_SLUG, `The working directory ${JSON.stringify(relative)} leads out of the configuration.`)
  return found
}

/** Only missing parts are made, and only below directories: a link on the way leaves the rest to the check above. */
const makeBelow = async (root: string, parts: string[], isolation: Isolation | undefined): Promise<void> => {
  let path = root
  for (const part of parts) {
    path = join(path, part)
    try {
      await mkdir(path, { mode: 0o755 })
      if (isolation !== undefined) await chown(path, isolation.uid, isolation.gid)
    } catch {
      if (realPath(path) !== path) return
    }
  }
}

const realPath = (path: string): string | undefined => {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
