import { CliConfigSyntaxError, type CliConfigItem } from './cli-config-item.ts'
import { parseJsonCliConfig } from './parse-json-cli-config.ts'
import { scanTokens, type Token } from './scan-tokens.ts'

/**
 * Splits a Terraform CLI configuration into its top-level entries, each with its own text, so that files can be merged without
 * understanding every setting. As Terraform does, a file that begins with `{` is read as JSON. Throws CliConfigSyntaxError.
 */
export const parseCliConfig = (text: string): CliConfigItem[] => {
  if (text.trimStart().startsWith('{')) return parseJsonCliConfig(text)
  const tokens = scanTokens(text)
  const items: CliConfigItem[] = []
  let next = 0

  const source = (token: Token): string => text.slice(token.start, token.end)
  const isMark = (token: Token | undefined, mark: string): boolean => token?.kind === 'mark' && source(token) === mark
  const fail = (token: Token | undefined, problem: string): never => {
    throw new CliConfigSyntaxError(text.slice(0, token?.start ?? text.length).split('\n').length, problem)
  }
  /** Takes one value and returns its last token. */
  const takeValue = (): Token => {
    const first = tokens[next++]
    if (first === undefined) return fail(first, 'a value is missing')
    if (first.kind !== 'mark') return first
    const closers: string[] = []
    for (let token: Token | undefined = first; token !== undefined; token = tokens[next++]) {
      if (isMark(token, '{')) closers.push('}')
      else if (isMark(token, '[')) closers.push(']')
      else if (isMark(token, '}') || isMark(token, ']')) {
        if (closers.pop() !== source(token)) fail(token, 'a bracket does not match')
      } else if (closers.length === 0) fail(token, 'a value is missing')
      if (closers.length === 0) return token
    }
    return fail(first, 'the bracket is not closed')
  }

  while (next < tokens.length) {
    const start = tokens[next] as Token
    const keys: string[] = []
    for (let token = tokens[next]; token?.kind === 'word' || token?.kind === 'string'; token = tokens[++next])
      keys.push(unquote(source(token)))
    if (keys.length === 0) fail(start, 'a name is missing')
    const isSetting = isMark(tokens[next], '=')
    if (isSetting) next++
    else if (!isMark(tokens[next], '{')) fail(tokens[next] ?? start, 'expected "=" or "{" after the name')
    const first = tokens[next]
    const last = takeValue()
    const item: CliConfigItem = { keys, text: text.slice(start.start, last.end) }
    items.push(isSetting && first === last ? { ...item, value: source(last) } : item)
  }
  return items
}

const unquote = (key: string): string => (key.startsWith('"') ? key.slice(1, -1).replace(/\\(.)/g, '$1') : key)
