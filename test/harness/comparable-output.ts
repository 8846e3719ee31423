import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

const patterns = readFileSync(new URL('../e2e/remote-only-lines.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => new RegExp(`^(?:${line})$`))

/**
 * Lines of terraform's stdout that a local and a remote run share: without colours, blank lines and the lines of remote-only-lines.txt;
 * ids and times that differ from run to run made equal. Two spellings of the CLI for logs in JSON are turned into those of its text, and
 * the outputs at the end of an apply, which it prints in no order then, are sorted.
 */
export const comparableOutput = (stdout: string): string[] => {
  const lines = comparableLines(stdout)
  const outputs = lines.lastIndexOf('Outputs:') + 1
  return outputs === 0 ? lines : [...lines.slice(0, outputs), ...lines.slice(outputs).toSorted()]
}

const comparableLines = (stdout: string): string[] =>
  stripVTControlCharacters(stdout)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !patterns.some((pattern) => pattern.test(line)))
    .map((line) =>
      line
        .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
        .replace(/\bafter (\d+m)?\d+s\b/, 'after <time>')
        .replace(/^(\S+): \(local-exec\):/, '$1 (local-exec):')
        .replace(/^(\w+ = )\(sensitive value\)$/, '$1<sensitive>'),
    )
