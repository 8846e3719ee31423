import DatabaseDriver from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import type { Log } from '../log.ts'
import { makeAnnouncements } from './announcements.ts'
import type { Database, Preparable, Prepared, TransactionOptions, Tx } from './database.ts'
import { translateDbError } from './errors.ts'
import { makeMutex } from './mutex.ts'

type Options<T> = { file: string; tables: T; migrationsFolder: string; log: Log }

const SLOW_TRANSACTION_MS = 50
const MAX_STATEMENTS = 500

const open = (file: string): DatabaseDriver.Database => {
  const connection = new DatabaseDriver(file, { timeout: 5000 })
  connection.pragma('journal_mode = WAL')
  // FULL: a commit survives a power cut. A lost state version is the worst thing that could happen here.
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  keepStatements(connection)
  return connection
}

/** The builders prepare a statement for every query; most texts come again and again. */
const keepStatements = (connection: DatabaseDriver.Database): void => {
  const prepare = connection.prepare.bind(connection)
  const kept = new Map<string, DatabaseDriver.Statement>()
  const prepareOnce = (text: string): DatabaseDriver.Statement => {
    const old = kept.get(text)
    if (old !== undefined && !old.busy) {
      if (old.reader) old.raw(false)
      return old
    }
    const statement = prepare(text)
    kept.set(text, statement)
    const [oldest] = kept.keys()
    if (kept.size > MAX_STATEMENTS && oldest !== undefined) kept.delete(oldest)
    return statement
  }
  // safe because the generic parameters of `prepare` only name what the caller expects
  connection.prepare = prepareOnce as typeof connection.prepare
}

/** Opens (and migrates) a SQLite file: one writer connection behind a first-come mutex, one reader connection; write-ahead log. */
export const openSqlite = <T>({ file, tables, migrationsFolder, log }: Options<T>): Database<T> => {
  const writer = open(file)
  const writes = drizzle(writer)
  migrate(writes, { migrationsFolder })
  const reader = open(file)
  const reads = drizzle(reader)
  const mutex = makeMutex()
  const { announce, onAnnounced } = makeAnnouncements()
  const prepareForWrites = prepareOn(writes)

  const transaction = <R>(fn: (tx: Tx<T>) => Promise<R>, { isLazy = false }: TransactionOptions = {}): Promise<R> =>
    mutex(async () => {
      const started = performance.now()
      const after: (() => void)[] = []
      const tx: Tx<T> = {
        t: tables,
        dialect: 'sqlite',
        select: writes.select.bind(writes),
        selectDistinct: writes.selectDistinct.bind(writes),
        insert: writes.insert.bind(writes),
        update: writes.update.bind(writes),
        delete: writes.delete.bind(writes),
        $count: writes.$count.bind(writes),
        prepare: prepareForWrites,
        forUpdate: (query) => query,
        afterCommit: (fn) => void after.push(fn),
        announce: (topic) => void after.push(() => announce(topic)),
      }
      let result: R
      try {
        if (isLazy) writer.pragma('synchronous = NORMAL')
        writer.exec('BEGIN IMMEDIATE')
        result = await fn(tx)
        writer.exec('COMMIT')
      } catch (error) {
        if (writer.inTransaction) writer.exec('ROLLBACK')
        throw translateDbError(error)
      } finally {
        if (isLazy) writer.pragma('synchronous = FULL')
      }
      const tookMs = performance.now() - started
      if (tookMs > SLOW_TRANSACTION_MS) log.warn({ tookMs: Math.round(tookMs) }, 'slow transaction')
      for (const fn of after) fn()
      return result
    })

  return {
    t: tables,
    dialect: 'sqlite',
    select: reads.select.bind(reads),
    selectDistinct: reads.selectDistinct.bind(reads),
    $count: reads.$count.bind(reads),
    transaction,
    onAnnounced,
    prepare: prepareOn(reads),
    close: async () => {
      await mutex(async () => {
        reader.close()
        writer.close()
      })
    },
  }
}

type Db = ReturnType<typeof drizzle>

const prepareOn = (db: Db) => {
  const known = new Map<string, Prepared<unknown>>()
  return <R>(name: string, build: (db: Db) => Preparable<R>): Prepared<R> => {
    // safe because a name stands for one query
    const old = known.get(name) as Prepared<R> | undefined
    if (old !== undefined) return old
    // safe because drizzle's prepared query has `execute` on both dialects
    const query = build(db).prepare() as { execute(params?: Record<string, unknown>): R }
    const prepared = { execute: async (params?: Record<string, unknown>) => query.execute(params) }
    known.set(name, prepared)
    return prepared
  }
}
