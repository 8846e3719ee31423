import type { Output } from './output.ts'

/** `value` names what follows the flag; without it the option is a switch. The flag is the key in kebab case. */
export type CommandOption = { value?: string; help: string }

export type CommandArgument = { name: string; help: string; optional?: boolean }

export type CommandInput<K extends string> = {
  options: Partial<Record<K, string | true>>
  args: string[]
  env: Record<string, string | undefined>
  output: Output
}

/** One command as data. `run` throws AppError for what the user can mend; a number is the exit code. */
export type Command<K extends string = string> = {
  name: string
  summary: string
  options: Record<K, CommandOption>
  args: readonly CommandArgument[]
  run(input: CommandInput<K>): Promise<number | void>
}

export const command = <K extends string>(descriptor: Command<K>): Command<K> => descriptor

/** A value option as text, a switch given as such excluded by the parser. */
export const text = (value: string | true | undefined): string | undefined => (value === true ? undefined : value)
