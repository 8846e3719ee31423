import Database from 'better-sqlite3'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { TestServer } from './terrane-server.ts'

export type Stored = { where: string; bytes: Buffer }

/** Everything a server keeps: each value of each column, and each file of its data directory but `except`. */
export const storedBytes = async (server: TestServer, except: string[]): Promise<Stored[]> => [
  ...(server.databaseUrl === undefined ? readSqlite(join(server.dataDir, 'terrane.db')) : await readPostgres(server.databaseUrl)),
  ...(await readFiles(server.dataDir, except)),
]

const readSqlite = (file: string): Stored[] => {
  const db = new Database(file, { readonly: true })
  try {
    const tables = db.prepare(`select name from sqlite_master where type = 'table'`).pluck().all().map(String)
    return tables.flatMap((table) =>
      db
        .prepare(`select * from "${table}"`)
        .all()
        .flatMap((row) => valuesOf(table, row)),
    )
  } finally {
    db.close()
  }
}

const readPostgres = async (url: string): Promise<Stored[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const found: Stored[] = []
    for (const { name } of rows) found.push(...(await client.query(`select * from ${name}`)).rows.flatMap((row) => valuesOf(name, row)))
    return found
  } finally {
    await client.end()
  }
}

const valuesOf = (table: string, row: unknown): Stored[] =>
  Object.entries(row ?? {}).flatMap(([column, value]) => {
    if (value === null) return []
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
    return [{ where: `${table}.${column}`, bytes }]
  })

/** From the beginning when a file was moved meanwhile, which would be missed under its other name. */
const readFiles = async (directory: string, except: string[]): Promise<Stored[]> => {
  for (;;) {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile() && !except.includes(entry.name))
    const found = await Promise.all(files.map((file) => readIfThere(join(file.parentPath, file.name))))
    if (!found.includes(undefined)) return found.flatMap((each) => each ?? [])
  }
}

const readIfThere = async (path: string): Promise<Stored | undefined> => {
  try {
    return { where: path, bytes: await readFile(path) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
