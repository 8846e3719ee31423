import pino from 'pino'

export type Log = pino.Logger

/** Waits for room when stderr is a file on a full disk; what comes then is lost. */
const MAX_WAITING_BYTES = 1024 * 1024

/** JSON lines on stderr. Secrets never get here: callers log ids, and `redact` is the belt to those braces. */
export const makeLog = (level: string): Log => {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MAX_WAITING_BYTES })
  // Without a listener a log that cannot be written would end the process.
  destination.on('error', () => undefined)
  return pino(
    {
      level,
      base: undefined,
      redact: {
        paths: ['token', '*.token', 'authorization', '*.authorization', 'password', '*.password', 'key', '*.key'],
        censor: '[redacted]',
      },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  )
}

export const silentLog: Log = pino({ level: 'silent' })
