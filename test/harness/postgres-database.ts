import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** An empty database on the PostgreSQL server that `server` (a URL) names. */
export const createPostgresDatabase = async (server: string): Promise<{ url: string; drop(): Promise<void> }> => {
  const name = `terrane_test_${randomBytes(6).toString('hex')}`
  const execute = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await execute(`CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}
