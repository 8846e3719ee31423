import { Writable } from 'node:stream'
import pino from 'pino'
import type { Log } from '../../src/platform/log.ts'

/** A log whose lines a test can read. */
export const captureLog = (): { log: Log; text: () => string } => {
  let text = ''
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString()
      done()
    },
  })
  return { log: pino({ level: 'trace' }, sink), text: () => text }
}
