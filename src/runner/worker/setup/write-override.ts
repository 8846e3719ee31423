import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ErrorCode } from '../../gen/runner/v1/runner.ts'
import { writeJobFile } from '../files/write-job-file.ts'
import type { Isolation } from '../options.ts'
import { StepError } from '../step-error.ts'
import type { RunPaths } from '../run-directory.ts'
import { nameThatSortsLast } from './name-that-sorts-last.ts'
import { quote } from './render-tfvars.ts'

/**
 * Writes an override file that replaces any backend or cloud block by the local backend with our state file, and answers its
 * path. Override files merge in order of name and the last wins, so ours sorts after every one present, OpenTofu's included.
 */
export const writeOverride = async (
  directory: string,
  { stateFile, workspaces }: RunPaths,
  isolation: Isolation | undefined,
): Promise<string> => {
  const present = readdirSync(directory).filter((name) => /(^|_)override\.(tf|tofu)(\.json)?$/.test(name))
  const path = join(directory, nameThatSortsLast(present, 'zzzz_terrane_override.tf', '_terrane_override.tf'))
  const text = `terraform {\n  backend "local" {\n    path          = ${quote(stateFile)}\n    workspace_dir = ${quote(workspaces)}\n  }\n}\n`
  await writeJobFile(path, text, 0o444, isolation).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENAMETOOLONG') throw cause
    throw new StepError(
      ErrorCode.CONFIG_INVALID,
      `The file name ${JSON.stringify(present.sort().at(-1))} is too long: our override must sort after it.`,
    )
  })
  return path
}
