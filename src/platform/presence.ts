import { createHash } from 'node:crypto'
import { Client } from 'pg'
import { errorMessage } from './errors.ts'
import type { Log } from './log.ts'
import { makePoller } from './poller.ts'

/** First number of the advisory locks that stand for servers; the second one is made from a server's id. */
const LOCK_CLASS = 741_853
/** PostgreSQL ends the connection of a machine that is gone, and with it the lock. */
const KEEPALIVE = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3'

export type Presence = {
  /** Resolves when this server is to be seen, or after a first attempt that failed; it is repeated then. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Those of the ids that no server is connected under. None while this server itself is not connected. */
  missing(ids: readonly string[]): Promise<string[]>
}

const keyOf = (id: string): number => createHash('sha256').update(id).digest().readInt32BE(0)

/**
 * Shows the other servers on one PostgreSQL that this one is alive: a connection of its own holds an advisory lock under `id`, which goes with
 * the connection, so with the process. A broken connection is opened again; who looks meanwhile takes us for gone, which is why everything
 * that follows from it must be fenced.
 */
export const makePresence = ({ databaseUrl, id, log }: { databaseUrl: string; id: string; log: Log }): Presence => {
  let client: Client | undefined

  const connect = async (): Promise<void> => {
    const next = new Client({ connectionString: databaseUrl, application_name: 'terrane-presence', keepAlive: true })
    const drop = (): void => {
      if (client === next) client = undefined
    }
    next.on('error', (error) => {
      log.warn({ error: errorMessage(error) }, 'presence connection failed')
      drop()
      poller.wake()
    })
    next.on('end', drop)
    try {
      await next.connect()
      await next.query(KEEPALIVE)
      await next.query('SELECT pg_advisory_lock($1::int, $2::int)', [LOCK_CLASS, keyOf(id)])
    } catch (error) {
      await next.end().catch(() => undefined)
      throw error
    }
    client = next
  }

  const poller = makePoller({
    name: 'presence connection',
    log,
    tick: async () => {
      if (client === undefined) await connect()
      return false
    },
  })

  return {
    start: async () => {
      await connect().catch((error: unknown) => log.warn({ error: errorMessage(error) }, 'presence connection failed'))
      poller.start()
    },
    stop: async () => {
      await poller.stop()
      await client?.end().catch(() => undefined)
    },
    missing: async (ids) => {
      if (client === undefined) return []
      const { rows } = await client.query<{ key: string }>(
        `SELECT objid AS key FROM pg_locks
         WHERE locktype = 'advisory' AND classid = $1::bigint::oid AND objsubid = 2 AND granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        [LOCK_CLASS],
      )
      // The lock's numbers are shown without a sign.
      const present = new Set(rows.map(({ key }) => Number(key) | 0))
      return ids.filter((each) => !present.has(keyOf(each)))
    },
  }
}
