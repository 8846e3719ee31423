import type { Command } from '../../src/cli/command.ts'
import { runCli } from '../../src/cli/run-cli.ts'

/** Runs one command of the command line as the shell would, with nothing but `env` around it. */
export const runCommand = async (command: Command, args: string[], env: Record<string, string>) => {
  let stdout = ''
  let stderr = ''
  const code = await runCli({
    version: '0.0.0',
    commands: [command],
    argv: [command.name, ...args],
    env,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  })
  return { code, stdout, stderr }
}
