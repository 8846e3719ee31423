import pino from 'pino'

export type Log = pino.Logger

/** JSON lines on stderr. Secrets never get here: callers log ids, and `redact` is the belt to those braces. */
export const makeLog = (level: string): Log =>
  pino(
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
    pino.destination({ dest: 2, sync: true }),
  )

export const silentLog: Log = pino({ level: 'silent' })
