import { logText } from '../harness/log-lines.ts'

/** Addresses that terraform told to be complete, in the log of an apply. Empty when there was none. */
export const completed = (log: string): string[] =>
  (log === '' ? '' : logText(log))
    .split('\n')
    .filter((line) => line.includes('"type":"apply_complete"'))
    // A line of terraform's, of which only this field is read.
    .map((line) => (JSON.parse(line) as { hook: { resource: { addr: string } } }).hook.resource.addr)
