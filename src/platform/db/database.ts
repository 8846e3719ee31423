import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'

export type Builders = Pick<BetterSQLite3Database, 'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | '$count'>

/** A query that can be awaited and prepared, whatever it selects. */
export type Preparable<R> = PromiseLike<R> & { prepare(name?: string): unknown }

export type Prepared<R> = { execute(params?: Record<string, unknown>): Promise<R> }

type Prepare = {
  /**
   * A query used often: built and planned once, which takes several times longer than running it. `name` is unique in the program and stands for
   * one query. Parameters are `sql.placeholder('x')`.
   */
  prepare<R>(name: string, build: (db: Pick<Builders, 'select' | 'insert' | 'update'>) => Preparable<R>): Prepared<R>
}

/**
 * Reads and writes inside one transaction. `t` holds the tables. Only awaitable builders: a query that is not awaited does nothing.
 * `fn` of a transaction may run twice (PostgreSQL serialization and deadlock errors), so nothing but `tx` work belongs inside.
 */
export type Tx<T> = Builders &
  Prepare & {
    readonly t: T
    readonly dialect: Dialect
    /** Locks the selected rows until the transaction ends (`FOR UPDATE`); SQLite has one writer and needs no lock. */
    forUpdate<Q>(query: Q, options?: { skipLocked?: boolean }): Q
    /** Runs after the commit, in order; not at all after a roll-back. For wake-ups in this process, never for effects that must happen. */
    afterCommit(fn: () => void): void
    /** After the commit, calls who listens to `topic` in this process: for what changes too often for an event. Other replicas hear nothing. */
    announce(topic: string): void
  }

export type TransactionOptions = {
  /**
   * On SQLite the commit does not wait for the disk: a power cut, which ends this process too, may undo the newest ones; a crash of the process does not.
   * PostgreSQL waits as ever, since there whoever wrote may outlive the loss.
   */
  isLazy?: boolean
}

export type Dialect = 'sqlite' | 'postgres'

/** Reads go to a reader connection and see committed data only; writes only inside `transaction`. */
export type Database<T> = Pick<Builders, 'select' | 'selectDistinct' | '$count'> &
  Prepare & {
    readonly t: T
    readonly dialect: Dialect
    transaction<R>(fn: (tx: Tx<T>) => Promise<R>, options?: TransactionOptions): Promise<R>
    /** Calls `fn` after each commit that announced `topic` in this process. Returns the way to stop. */
    onAnnounced(topic: string, fn: () => void): () => void
    close(): Promise<void>
  }
