// Copies rows in the database of a running server: thousands of workspaces in a second, in whatever columns the tables have.
import Sqlite from 'better-sqlite3'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'

/** Without --postgres the server's own SQLite file; else a new database of the server that DATABASE_URL names. */
export const openBenchDatabase = async ({ isPostgres }) => (isPostgres ? openPostgres() : openSqlite())

/** SQL of an id that is made of the number `i`, in the alphabet of ids. */
const idOf = (prefix) => `'${prefix}-' || replace(cast(1000000000000000 + i as text), '0', 'z')`

/** Copies the row of `where` (an id, or one column and its value) once for each number `i` of the series; `changes` are SQL expressions by column. */
const copySql = (table, columns, column, changes) => `
  WITH RECURSIVE series(i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM series WHERE i + 1 < $1 + $2)
  INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')})
  SELECT ${columns.map((name) => changes[name] ?? `"${name}"`).join(', ')} FROM ${table}, series WHERE ${table}.${column} = $3`

const placeOf = (where) => (typeof where === 'string' ? ['id', where] : Object.entries(where)[0])

const openSqlite = () => {
  let db
  return {
    env: {},
    idOf,
    open: async (directory) => {
      db = new Sqlite(join(directory, 'terrane.db'), { timeout: 5000 })
    },
    copy: async (table, where, { first, count }, changes) => {
      const columns = db.pragma(`table_info(${table})`).map(({ name }) => name)
      const [column, value] = placeOf(where)
      db.prepare(copySql(table, columns, column, changes)).run({ 1: BigInt(first), 2: BigInt(count), 3: value })
    },
    settle: async () => db.pragma('wal_checkpoint(TRUNCATE)'),
    close: async () => db?.close(),
    drop: async () => undefined,
  }
}

const openPostgres = async () => {
  const given = process.env.DATABASE_URL ?? process.env.TERRANE_TEST_DATABASE_URL
  if (given === undefined) throw new Error('--postgres needs DATABASE_URL')
  const name = `terrane_bench_${randomBytes(6).toString('hex')}`
  const url = new URL(given)
  const command = async (sql) => {
    const client = new pg.Client({ connectionString: given })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await command(`CREATE DATABASE ${name}`)
  url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href })
  return {
    env: { DATABASE_URL: url.href },
    idOf,
    open: () => client.connect(),
    copy: async (table, where, { first, count }, changes) => {
      const known = await client.query('SELECT column_name FROM information_schema.columns WHERE table_name = $1', [table])
      const [column, value] = placeOf(where)
      const columns = known.rows.map((row) => row.column_name)
      // The numbers in place: their type cannot be inferred.
      const sql = copySql(table, columns, column, changes).replaceAll('$1', `${first}::bigint`).replaceAll('$2', `${count}::bigint`)
      await client.query(sql.replaceAll('$3', '$1'), [value])
    },
    settle: () => client.query('ANALYZE'),
    close: () => client.end(),
    drop: () => command(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}
