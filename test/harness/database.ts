import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { makeTables, type Tables } from '../../src/main/schema.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { pgKit, sqliteKit } from '../../src/platform/db/kit.ts'
import { openPostgres } from '../../src/platform/db/postgres.ts'
import { openSqlite } from '../../src/platform/db/sqlite.ts'
import { silentLog } from '../../src/platform/log.ts'

const migrations = (dialect: string): string => new URL(`../../migrations/${dialect}`, import.meta.url).pathname

export type TestDatabase = {
  db: Database<Tables>
  /** For a server: `DATABASE_URL`, undefined on SQLite. */ url: string | undefined
  drop(): Promise<void>
}

/**
 * An empty, migrated database of its own: SQLite in a temporary file, or, where TERRANE_TEST_DATABASE_URL names a PostgreSQL
 * server, a fresh database there. The same tests run on both.
 */
export const openTestDatabase = async (): Promise<TestDatabase> => {
  const server = process.env['TERRANE_TEST_DATABASE_URL']
  return server === undefined ? openTestSqlite() : openTestPostgres(server)
}

const openTestSqlite = async (): Promise<TestDatabase> => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-test-'))
  const db = openSqlite({
    file: join(directory, 'terrane.db'),
    tables: makeTables(sqliteKit),
    migrationsFolder: migrations('sqlite'),
    log: silentLog,
  })
  return {
    db,
    url: undefined,
    drop: async () => {
      await db.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const openTestPostgres = async (server: string): Promise<TestDatabase> => {
  const name = `terrane_test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  await admin.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  const db = await openPostgres({ url: url.href, tables: makeTables(pgKit), migrationsFolder: migrations('postgres'), log: silentLog })
  return {
    db,
    url: url.href,
    drop: async () => {
      await db.close()
      const client = new pg.Client({ connectionString: server })
      await client.connect()
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await client.end()
    },
  }
}
