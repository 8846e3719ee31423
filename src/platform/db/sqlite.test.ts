import DatabaseDriver from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeTables } from '../../main/schema.ts'
import { silentLog } from '../log.ts'
import { sqliteKit } from './kit.ts'
import { openSqlite } from './sqlite.ts'

const FULL = 2
const NORMAL = 1

it('commits survive a power cut, but for lazy ones; also after a lazy one that found the file locked', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'terrane-sqlite-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'terrane.db')
  const migrationsFolder = new URL('../../../migrations/sqlite', import.meta.url).pathname
  const db = openSqlite({ file, tables: makeTables(sqliteKit), migrationsFolder, log: silentLog })
  onTestFinished(() => db.close())
  const synchronous = (options?: { isLazy: boolean }): Promise<number | undefined> =>
    db.transaction(async (tx) => {
      const rows = await tx.select({ level: sql<number>`synchronous` }).from(sql`pragma_synchronous`)
      return rows[0]?.level
    }, options)
  expect(await synchronous()).toBe(FULL)
  expect(await synchronous({ isLazy: true })).toBe(NORMAL)
  expect(await synchronous()).toBe(FULL)

  const other = new DatabaseDriver(file)
  other.exec('BEGIN IMMEDIATE')
  await expect(synchronous({ isLazy: true })).rejects.toThrow('locked')
  other.exec('ROLLBACK')
  other.close()
  expect(await synchronous()).toBe(FULL)
}, 20_000)
