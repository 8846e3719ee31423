import { type EngineName, engineTitles } from '../../platform/engine-name.ts'

type Preamble = {
  engine: EngineName
  version: string
  /** The page of the run, where the link that the CLI prints leads nowhere. */ runUrl: string | undefined
}

const engineLines = ({ engine, version }: Preamble): string =>
  `${engineTitles[engine]} v${version}\non linux_amd64\nInitializing plugins and modules...\n`

/** First lines of a plan's log. */
export const planPreamble = (preamble: Preamble): string => runLine(preamble) + engineLines(preamble)

/** First lines of an apply's log: the CLI skips three lines, whatever they say, so those come first. */
export const applyPreamble = (preamble: Preamble): string => engineLines(preamble) + runLine(preamble)

const runLine = ({ runUrl }: Preamble): string => (runUrl === undefined ? '' : `Run: ${runUrl}\n`)

/** An error that the server adds to a log, in the format of the log, so that the CLI shows it like one of the engine's own. */
export const errorLines = (format: 'json' | 'text', at: Date, summary: string, detail: string): string => {
  if (format === 'text') return `\nError: ${summary}\n\n${detail}\n`
  return `${JSON.stringify({
    '@level': 'error',
    '@message': `Error: ${summary}`,
    '@module': 'terrane',
    '@timestamp': at.toISOString(),
    diagnostic: { severity: 'error', summary, detail },
    type: 'diagnostic',
  })}\n`
}
