import { CliConfigSyntaxError } from './cli-config-item.ts'

export type Token = { kind: 'word' | 'string' | 'heredoc' | 'mark'; start: number; end: number }

const space = /(?:[\s,]|#.*|\/\/.*|\/\*[\s\S]*?\*\/)+/y
const word = /[^\s,"{}[\]=#<]+/y
const heredoc = /<<-?([A-Za-z0-9_.-]+)\r?\n/y

/**
 * Tokens of the native syntax (HCL 1: its scanner is the source relied on). A comma counts as space, comments are left out.
 * Throws CliConfigSyntaxError.
 */
export const scanTokens = (text: string): Token[] => {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  const fail = (problem: string): never => {
    throw new CliConfigSyntaxError(text.slice(0, at).split('\n').length, problem)
  }
  const push = (kind: Token['kind'], end: number): void => {
    tokens.push({ kind, start: at, end })
    at = end
  }
  for (;;) {
    at += match(space)?.[0].length ?? 0
    if (at >= text.length) return tokens
    const opening = match(heredoc)
    const plain = match(word)
    if (text.startsWith('/*', at)) fail('the comment is not closed')
    else if (text[at] === '"') push('string', stringEnd(text, at) ?? fail('the string is not closed'))
    else if (opening) push('heredoc', heredocEnd(text, at + opening[0].length, opening[1] ?? '') ?? fail('the heredoc is not closed'))
    else if (plain) push('word', at + plain[0].length)
    else if ('{}[]='.includes(text[at] ?? '')) push('mark', at + 1)
    else fail('unexpected character')
  }
}

/** A quote inside `${ }` does not end the string, as in Terraform. */
const stringEnd = (text: string, start: number): number | undefined => {
  let braces = 0
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '"' && braces === 0) return at + 1
    else if (char === '\n' && braces === 0) return undefined
    else if (char === '{' && (braces > 0 || text[at - 1] === '$')) braces++
    else if (char === '}' && braces > 0) braces--
  }
  return undefined
}

const heredocEnd = (text: string, start: number, marker: string): number | undefined => {
  for (let at = start; at < text.length;) {
    const newline = text.indexOf('\n', at)
    const end = newline === -1 ? text.length : newline
    if (text.slice(at, end).trim() === marker) return end
    at = end + 1
  }
  return undefined
}
