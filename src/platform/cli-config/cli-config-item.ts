/**
 * One top-level entry of a Terraform CLI configuration: a block (`credentials "host" { … }`) or a setting (`plugin_cache_dir = "…"`).
 * `keys` holds the unquoted name and labels, `text` the entry in native syntax, `value` the literal of a setting as written.
 */
export type CliConfigItem = { keys: string[]; text: string; value?: string }

/** The text is no CLI configuration. `message` names the line and what was expected, never the text itself: that may hold a token. */
export class CliConfigSyntaxError extends Error {
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`)
    this.name = 'CliConfigSyntaxError'
  }
}
