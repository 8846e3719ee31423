import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ErrorCode, type Variable, VariableCategory } from '../../gen/runner/v1/runner.ts'
import { writeJobFile } from '../files/write-job-file.ts'
import type { Isolation } from '../options.ts'
import { StepError } from '../step-error.ts'
import { nameThatSortsLast } from './name-that-sorts-last.ts'
import { renderTfvars } from './render-tfvars.ts'

/** The first of the files that the engine loads, and the name people know from Terraform Cloud. */
const PLAIN_NAME = 'terraform.tfvars'

/**
 * Writes the terraform variables to a file that the engine loads after all of the user's, and answers its path. Errors about
 * a value name it. A file and not `TF_VAR_*`, because what the engine starts inherits its environment.
 */
export const writeVariables = async (
  directory: string,
  variables: readonly Variable[],
  isolation: Isolation | undefined,
): Promise<string> => {
  const text = renderTfvars(variables.filter(({ category }) => category === VariableCategory.TERRAFORM))
  const present = readdirSync(directory).filter((name) => /(^terraform|\.auto)\.tfvars(\.json)?$/.test(name))
  const name = present.length === 0 ? PLAIN_NAME : nameThatSortsLast(present, 'zzz_terraform.auto.tfvars', '_terraform.auto.tfvars')
  const path = join(directory, name)
  await writeJobFile(path, text, 0o600, isolation).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENAMETOOLONG') throw cause
    throw new StepError(
      ErrorCode.CONFIG_INVALID,
      `The file name ${JSON.stringify(present.sort().at(-1))} is too long: our variables must sort after it.`,
    )
  })
  return path
}
