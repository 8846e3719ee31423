import { expect } from 'vitest'
import { comparableOutput } from './comparable-output.ts'
import type { Project } from './project.ts'
import { type CliResult, terraform } from './terraform-cli.ts'

/**
 * Runs a command in the project and in `local`, a directory with the same configuration and no server: exit code and text are the same.
 * Warnings, which a log of JSON lines has at another place, are found wherever they are with `sorted`. Answers the result of the project.
 */
export const expectSameAsLocal = async (
  project: Project,
  local: string,
  args: string[],
  { input = '', sorted = false }: { input?: string; sorted?: boolean } = {},
): Promise<CliResult> => {
  const [there, here] = [await project.terraform(args, { input }), await terraform(local, args, { input })]
  const lines = (text: string): string[] => (sorted ? [...new Set(comparableOutput(text))].toSorted() : comparableOutput(text))
  expect.soft(lines(there.stdout), `stdout of ${args.join(' ')}`).toEqual(lines(here.stdout))
  expect(there.code, `exit code of ${args.join(' ')}\n${there.stdout}\n${there.stderr}`).toBe(here.code)
  return there
}
