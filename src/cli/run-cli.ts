import { Command as Program, CommanderError, Option } from 'commander'
import { AppError, errorMessage } from '../platform/errors.ts'
import type { Command } from './command.ts'
import { exitCodeOf } from './exit-code.ts'
import { kebabCase } from './kebab-case.ts'
import { makeOutput } from './output.ts'

type Stream = { write(text: string): unknown }

export type CliInput = {
  version: string
  /** Small data; what a command does is loaded when it runs. */
  commands: readonly Command[]
  argv: readonly string[]
  env: Record<string, string | undefined>
  stdout: Stream
  stderr: Stream
}

/** Runs the command that `argv` names and answers the exit code: see exit-code.ts. */
export const runCli = async ({ version, commands, argv, env, stdout, stderr }: CliInput): Promise<number> => {
  const output = makeOutput({ stdout, stderr })
  const program = new Program('terrane')
    .description('A self-hosted server that terraform takes for HCP Terraform.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError('Help: terrane --help')
    .exitOverride()

  let exitCode = 0
  for (const { name, summary, options, args, run } of commands) {
    const sub = program
      .command(name)
      .description(summary)
      .helpOption('-h, --help', 'print help')
      .copyInheritedSettings(program)
      .showHelpAfterError(`Help: terrane ${name} --help`)
    for (const [key, { value, help }] of Object.entries(options))
      sub.addOption(new Option(`--${kebabCase(key)}${value === undefined ? '' : ` <${value}>`}`, help))
    for (const { name: argument, help, optional } of args) sub.argument(optional ? `[${argument}]` : `<${argument}>`, help)
    sub.action(async () => {
      exitCode = (await run({ options: sub.opts(), args: sub.args, env, output })) ?? 0
    })
  }

  try {
    if (argv.length === 0) program.help()
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 || argv.length === 0 ? 0 : 2
    output.note(`terrane: ${error instanceof AppError ? error.detail : errorMessage(error)}`)
    return exitCodeOf(error)
  }
}
