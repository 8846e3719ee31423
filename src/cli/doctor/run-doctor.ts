import { text, type CommandInput } from '../command.ts'
import { dataDirectory } from '../data-directory.ts'
import { runChecks } from './run-checks.ts'

/** Prints a line for each check; exit code 1 when something is missing. */
export const runDoctor = async ({ options, env, output }: CommandInput<'data' | 'json'>): Promise<number> => {
  const results = await runChecks({ dataDir: dataDirectory(text(options.data), env), env, nodeVersion: process.versions.node })
  const isWell = results.every(({ advice }) => advice === undefined)
  if (options.json) output.json({ ok: isWell, checks: results.map((check) => ({ ...check, ok: check.advice === undefined })) })
  else
    for (const { name, found, advice } of results)
      output.print(advice === undefined ? `✓ ${name}: ${found}` : `✗ ${name}: ${found}. ${advice}`)
  return isWell ? 0 : 1
}
