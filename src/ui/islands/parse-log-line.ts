export type Diagnostic = {
  severity: string
  summary: string
  detail: string
  address: string | undefined
  range: { filename: string; line: number } | undefined
  snippet: { context: string | undefined; code: string; startLine: number; start: number; end: number } | undefined
}

export type LogLine = { type: string; level: string; message: string; output: string | undefined; diagnostic: Diagnostic | undefined }

/** A line of terraform's `-json` output; undefined for any other line, which is shown as it is. */
export const parseLogLine = (text: string): LogLine | undefined => {
  if (!text.startsWith('{"@')) return undefined
  const value = parse(text)
  if (!isObject(value) || typeof value['@message'] !== 'string') return undefined
  return {
    type: string(value['type']) ?? 'log',
    level: string(value['@level']) ?? 'info',
    message: value['@message'],
    output: outputOf(value['hook']),
    diagnostic: diagnosticOf(value['diagnostic']),
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const string = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const number = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** What a provisioner printed, as terraform writes it in text. */
const outputOf = (hook: unknown): string | undefined => {
  if (!isObject(hook) || typeof hook['output'] !== 'string' || !isObject(hook['resource'])) return undefined
  return `${string(hook['resource']['addr']) ?? ''} (${string(hook['provisioner']) ?? ''}): ${hook['output']}`
}

const diagnosticOf = (value: unknown): Diagnostic | undefined => {
  if (!isObject(value) || typeof value['summary'] !== 'string') return undefined
  const { range, snippet } = value
  return {
    severity: string(value['severity']) ?? 'error',
    summary: value['summary'],
    detail: string(value['detail']) ?? '',
    address: string(value['address']),
    range:
      isObject(range) && isObject(range['start'])
        ? { filename: string(range['filename']) ?? '', line: number(range['start']['line']) }
        : undefined,
    snippet: isObject(snippet)
      ? {
          context: string(snippet['context']),
          code: string(snippet['code']) ?? '',
          startLine: number(snippet['start_line']),
          start: number(snippet['highlight_start_offset']),
          end: number(snippet['highlight_end_offset']),
        }
      : undefined,
  }
}
