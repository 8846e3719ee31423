import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { Pool } from 'pg'
import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '../errors.ts'
import type { Log } from '../log.ts'
import { makeAnnouncements } from './announcements.ts'
import type { Database, Preparable, Prepared, Tx } from './database.ts'
import { isRetryable, translateDbError } from './errors.ts'

type Options<T> = { url: string; tables: T; migrationsFolder: string; log: Log; poolSize?: number }

const MIGRATION_LOCK = 7_418_529_001
const MAX_ATTEMPTS = 8

/**
 * Opens (and migrates) a PostgreSQL database. Transactions are READ COMMITTED; callers lock the workspace row first
 * (`tx.forUpdate`). Serialization failures and deadlocks (40001, 40P01) are retried with jitter.
 */
export const openPostgres = async <T>({ url, tables, migrationsFolder, log, poolSize = 10 }: Options<T>): Promise<Database<T>> => {
  const pool = new Pool({ connectionString: url, max: poolSize, application_name: 'terrane' })
  pool.on('error', (error) => log.warn({ error: errorMessage(error) }, 'idle database connection failed'))
  const client = await pool.connect().catch(async (error: unknown) => {
    await pool.end()
    throw error
  })
  let migrated = false
  try {
    // Two replicas may start at once: one migrates, the other waits and finds nothing to do.
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrate(drizzle(client), { migrationsFolder })
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK])
    migrated = true
  } finally {
    // a connection that may hold the lock is closed
    client.release(!migrated)
    if (!migrated) await pool.end()
  }
  // safe because Tx exposes only what the builders of both dialects share; see kit.ts
  type Builders = Tx<T>
  const asBuilders = (db: NodePgDatabase): Builders => db as unknown as Builders
  const reads = asBuilders(drizzle(pool))
  const { announce, onAnnounced } = makeAnnouncements()

  const attempt = async <R>(fn: (tx: Tx<T>) => Promise<R>, after: (() => void)[]): Promise<R> => {
    const connection = await pool.connect()
    let broken = false
    // The pool listens only while a connection is idle; without a listener the loss of a busy one ends the process.
    const onLost = (): void => {
      broken = true
    }
    connection.on('error', onLost)
    try {
      const db = asBuilders(drizzle(connection))
      const tx: Tx<T> = {
        t: tables,
        dialect: 'postgres',
        select: db.select.bind(db),
        selectDistinct: db.selectDistinct.bind(db),
        insert: db.insert.bind(db),
        update: db.update.bind(db),
        delete: db.delete.bind(db),
        $count: db.$count.bind(db),
        prepare: prepareOn(db),
        forUpdate: <Q>(query: Q, options?: { skipLocked?: boolean }): Q =>
          // safe because on this dialect every select has `for`
          (query as Q & { for(strength: 'update', options: { skipLocked?: boolean }): Q }).for('update', { ...options }),
        afterCommit: (fn) => void after.push(fn),
        announce: (topic) => void after.push(() => announce(topic)),
      }
      await connection.query('BEGIN')
      try {
        const result = await fn(tx)
        const { command } = await connection.query('COMMIT')
        // PostgreSQL answers so, without an error, when a statement had failed and `fn` caught it
        if (command !== 'COMMIT') throw new Error('the transaction was rolled back: an error of a statement was caught inside it')
        return result
      } catch (error) {
        await connection.query('ROLLBACK').catch(() => (broken = true))
        throw error
      }
    } finally {
      connection.off('error', onLost)
      connection.release(broken)
    }
  }

  const transaction = async <R>(fn: (tx: Tx<T>) => Promise<R>): Promise<R> => {
    for (let tries = 1; ; tries++) {
      const after: (() => void)[] = []
      try {
        const result = await attempt(fn, after)
        for (const fn of after) fn()
        return result
      } catch (error) {
        if (!isRetryable(error) || tries >= MAX_ATTEMPTS) throw translateDbError(error)
        await delay(Math.random() * 10 * 2 ** tries)
      }
    }
  }

  return {
    t: tables,
    dialect: 'postgres',
    select: reads.select.bind(reads),
    selectDistinct: reads.selectDistinct.bind(reads),
    $count: reads.$count.bind(reads),
    transaction,
    onAnnounced,
    prepare: prepareOn(reads),
    close: () => pool.end(),
  }
}

/** The server plans a statement of a name once per connection; what is built here is kept as long as `db` is. */
const prepareOn = <Db extends object>(db: Db) => {
  const known = new Map<string, Prepared<unknown>>()
  return <R>(name: string, build: (db: Db) => Preparable<R>): Prepared<R> => {
    // safe because a name stands for one query, and drizzle's prepared query has `execute` on both dialects
    const prepared = (known.get(name) ?? build(db).prepare(name)) as Prepared<R>
    known.set(name, prepared)
    return prepared
  }
}
