import { doctorCommand } from '../cli/commands/doctor.ts'
import { envCommand } from '../cli/commands/env.ts'
import { runCli, type CliInput } from '../cli/run-cli.ts'
import { engineCommand } from './engine-command.ts'
import { serverCommand } from './server-command.ts'

/** The command line of this package; answers the exit code. */
export const runTerrane = (input: Omit<CliInput, 'commands'>): Promise<number> =>
  runCli({ ...input, commands: [serverCommand, envCommand, doctorCommand, engineCommand] })
