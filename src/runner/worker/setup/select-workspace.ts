import { chownSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ErrorCode } from '../../gen/runner/v1/runner.ts'
import { writeJobFile } from '../files/write-job-file.ts'
import type { Isolation } from '../options.ts'
import type { RunPaths } from '../run-directory.ts'
import { StepError } from '../step-error.ts'

/** Of the engine, which keeps its state in the plain place. */
const DEFAULT = 'default'

/**
 * Makes `terraform.workspace` in the configuration be `name`, as it is in runs of the platform: selects the engine's own workspace of that
 * name, whose state is a link to our one state file. A file and not `TF_WORKSPACE`, because what the engine starts inherits its environment.
 */
export const selectWorkspace = async (
  { stateFile, workspaces }: RunPaths,
  directory: string,
  name: string,
  isolation: Isolation | undefined,
): Promise<void> => {
  if (name === '' || name === DEFAULT) return
  if (!/^[\w-]+$/.test(name)) throw new StepError(ErrorCode.INTERNAL, `${JSON.stringify(name)} cannot be the name of a workspace.`)
  const [own, data] = [join(workspaces, name), join(directory, '.terraform')]
  for (const path of [workspaces, own, data]) {
    const made = mkdirSync(path, { mode: 0o700, recursive: true })
    if (made !== undefined && isolation !== undefined) chownSync(path, isolation.uid, isolation.gid)
  }
  symlinkSync(stateFile, join(own, 'terraform.tfstate'))
  await writeJobFile(join(data, 'environment'), name, 0o600, isolation)
}
