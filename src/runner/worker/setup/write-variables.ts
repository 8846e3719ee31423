import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ErrorCode, type Variable, VariableCategory } from '../../gen/runner/v1/runner.ts'
import { writeJobFile } from '../files/write-job-file.ts'
import type { Isolation } from '../options.ts'
import { StepError } from '../step-error.ts'
import { nameThatSortsLast } from './name-that-sorts-last.ts'
import { renderTfvars } from './render-tfvars.ts'

/**
 * Writes the terraform variables to an `*.auto.tfvars` file that the engine loads after all of the user's, and answers its
 * path. A file and not `TF_VAR_*`, because what the engine starts inherits its environment.
 */
export const writeVariables = async (
  directory: string,
  variables: readonly Variable[],
  isolation: Isolation | undefined,
): Promise<string> => {
  const text = renderTfvars(variables.filter(({ category }) => category === VariableCategory.TERRAFORM))
  const present = (await readdir(directory)).filter((name) => /\.auto\.tfvars(\.json)?$/.test(name))
  const name = nameThatSortsLast(present, 'zzz_terrane.auto.tfvars', '_terrane.auto.tfvars')
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
