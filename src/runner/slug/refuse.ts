import { RunnerError } from '../runner.ts'

/** An error that names the entry and the rule it breaks; the name is quoted and cut, so that it may be shown. */
export const badSlug = (rule: string, entry?: string): RunnerError =>
  new RunnerError(
    'BAD_SLUG',
    entry === undefined ? `The archive ${rule}.` : `The archive entry ${JSON.stringify(entry.slice(0, 200))} ${rule}.`,
  )

export const slugTooLarge = (rule: string): RunnerError => new RunnerError('SLUG_TOO_LARGE', `The archive ${rule}.`)
