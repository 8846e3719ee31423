import { AnsiUp } from 'ansi_up'
import { type Diagnostic, type LogLine, parseLogLine } from './parse-log-line.ts'
import { renderDiagnostic } from './render-diagnostic.ts'

/** Kinds of lines that say nothing to people, or say it again. */
const hidden = new Set(['version', 'outputs'])

/** Makes the element of a line of the log; undefined for a line that is not shown. Colours go on from line to line. */
export const makeLineRenderer = (): ((line: string) => HTMLElement | undefined) => {
  const ansi = new AnsiUp()
  ansi.use_classes = true
  return (text) => {
    const parsed = parseLogLine(text)
    if (parsed === undefined) return plainLine(ansi, text)
    if (hidden.has(parsed.type)) return undefined
    return parsed.diagnostic === undefined
      ? messageLine(ansi, parsed)
      : renderDiagnostic(parsed.diagnostic, (part) => plainLine(ansi, part))
  }
}

const plainLine = (ansi: AnsiUp, text: string): HTMLElement => {
  const line = document.createElement('div')
  line.className = 'log-line'
  if (!text.includes('\u001b')) {
    line.textContent = text
    return line
  }
  // Text is escaped by the library. Its style attributes are against the content security policy: they are set one by one instead.
  line.innerHTML = ansi.ansi_to_html(text).replaceAll(' style="', ' data-style="')
  for (const part of line.querySelectorAll<HTMLElement>('[data-style]')) {
    part.style.cssText = part.dataset['style'] ?? ''
    delete part.dataset['style']
  }
  return line
}

const messageLine = (ansi: AnsiUp, { type, level, message, output }: LogLine & { diagnostic?: Diagnostic | undefined }): HTMLElement => {
  const line = plainLine(ansi, output ?? message)
  line.classList.add(`log-${type.replaceAll('_', '-')}`)
  if (level === 'error' || level === 'warn') line.classList.add(`log-level-${level}`)
  return line
}
