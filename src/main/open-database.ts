import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import type { Database } from '../platform/db/database.ts'
import { pgKit, sqliteKit } from '../platform/db/kit.ts'
import type { Log } from '../platform/log.ts'
import { makeTables, type Tables } from './schema.ts'

/** Beside the bundle in `dist`, at the root in a clone. */
const migrationsFolder = (dialect: 'sqlite' | 'postgres'): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? `../../migrations/${dialect}` : `./migrations/${dialect}`, import.meta.url))

/** The database of the installation, migrated: PostgreSQL where a URL is given, else one SQLite file in `dataDir`. The driver of the other is not loaded. */
export const openDatabase = async ({
  dataDir,
  databaseUrl,
  log,
}: {
  dataDir: string
  databaseUrl: string | undefined
  log: Log
}): Promise<Database<Tables>> => {
  if (databaseUrl !== undefined) {
    const { openPostgres } = await import('../platform/db/postgres.ts')
    return openPostgres({ url: databaseUrl, tables: makeTables(pgKit), migrationsFolder: migrationsFolder('postgres'), log })
  }
  const file = join(dataDir, 'terrane.db')
  // SQLite gives its other files the mode of this one.
  await (await open(file, 'a', 0o600)).close()
  const { openSqlite } = await import('../platform/db/sqlite.ts')
  return openSqlite({ file, tables: makeTables(sqliteKit), migrationsFolder: migrationsFolder('sqlite'), log })
}
