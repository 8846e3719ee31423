import type { Diagnostic } from './parse-log-line.ts'

/** An error or a warning of terraform as a block: what, where, the line of code, why. */
export const renderDiagnostic = (diagnostic: Diagnostic, plainLine: (text: string) => HTMLElement): HTMLElement => {
  const { severity, summary, detail, address, range, snippet } = diagnostic
  const isError = severity === 'error'
  const block = element('div', `log-diagnostic log-diagnostic-${isError ? 'error' : 'warning'}`)
  const head = element('p', 'log-diagnostic-head')
  head.append(element('strong', '', isError ? 'Error: ' : 'Warning: '), summary)
  block.append(head)
  if (range !== undefined) {
    const where = [address === undefined ? '' : `with ${address}, `, `on ${range.filename} line ${range.line}`]
    block.append(
      element('p', 'log-diagnostic-where', `${where.join('')}${snippet?.context === undefined ? ':' : `, in ${snippet.context}:`}`),
    )
  }
  if (snippet !== undefined && snippet.code !== '') block.append(codeOf(snippet))
  for (const line of detail === '' ? [] : detail.split('\n')) block.append(plainLine(line))
  return block
}

/** Offsets count bytes of UTF-8. */
const codeOf = ({ code, startLine, start, end }: NonNullable<Diagnostic['snippet']>): HTMLElement => {
  const bytes = new TextEncoder().encode(code)
  const part = (from: number, to?: number): string => new TextDecoder().decode(bytes.subarray(from, to))
  const line = element('pre', 'log-diagnostic-code')
  line.append(`${startLine}: `, part(0, start), element('mark', '', part(start, end)), part(end))
  return line
}

const element = (tag: string, className: string, text = ''): HTMLElement => {
  const made = document.createElement(tag)
  if (className !== '') made.className = className
  made.textContent = text
  return made
}
