import { Client } from 'pg'
import { errorMessage } from '../errors.ts'
import type { Log } from '../log.ts'
import { makePoller } from '../poller.ts'
import { EVENT_CHANNEL } from './emit.ts'

type Options = {
  /** Straight to PostgreSQL: a pooler in transaction mode does not pass notifications on. */
  databaseUrl: string
  log: Log
  onNotify: () => void
}

/** A connection of its own that hears of the events of other replicas; opened again when it breaks. */
export const makeEventListener = ({ databaseUrl, log, onNotify }: Options): { start(): void; stop(): Promise<void> } => {
  let client: Client | undefined

  const connect = async (): Promise<void> => {
    const next = new Client({ connectionString: databaseUrl, application_name: 'terrane-events', keepAlive: true })
    const drop = (): void => {
      if (client === next) client = undefined
    }
    next.on('error', (error) => {
      log.warn({ error: errorMessage(error) }, 'event connection failed')
      drop()
    })
    next.on('end', drop)
    next.on('notification', onNotify)
    try {
      await next.connect()
      await next.query(`LISTEN ${EVENT_CHANNEL}`)
    } catch (error) {
      await next.end().catch(() => undefined)
      throw error
    }
    client = next
    // whatever was written while nobody listened
    onNotify()
  }

  const poller = makePoller({
    name: 'event connection',
    log,
    tick: async () => {
      if (client === undefined) await connect()
      return false
    },
  })

  return {
    start: poller.start,
    stop: async () => {
      await poller.stop()
      await client?.end().catch(() => undefined)
    },
  }
}
