import { setImmediate } from 'node:timers/promises'
import { and, asc, getTableColumns, gt, isNotNull, or } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from '../db/database.ts'

/** Keys of blobs that rows refer to. May say yes for a key that none does; then it stays until the next sweep. */
export type References = { has(key: string): boolean; readonly size: number }

const PAGE = 500
/** So many digits tell a million blobs apart, in a fourth of the memory. */
const DIGITS = 12

type BlobTable = { table: SQLiteTable; id: SQLiteColumn; keys: SQLiteColumn[] }

/**
 * The columns of all tables that hold keys of blobs: those whose name ends in `blob_key`. Throws for a table of them without a column `id` or
 * `key` to read it by.
 */
export const blobTablesOf = (tables: Record<string, SQLiteTable>): BlobTable[] =>
  Object.values(tables).flatMap((table) => {
    const columns: Record<string, SQLiteColumn> = getTableColumns(table)
    const keys = Object.values(columns).filter(({ name }) => name.endsWith('blob_key'))
    if (keys.length === 0) return []
    const id = columns['id'] ?? columns['key']
    if (id === undefined) throw new Error('a table with keys of blobs has a column `id` or `key`')
    return [{ table, id, keys }]
  })

/** All of them, a page at a time: other requests get their turn in between. */
export const readReferences = async (db: Database<unknown>, signal: AbortSignal): Promise<References> => {
  const prefixes = new Set<string>()
  // safe because `t` holds the tables
  for (const { table, id, keys } of blobTablesOf(db.t as Record<string, SQLiteTable>)) {
    const columns = Object.fromEntries(keys.map((key, at) => [`key${at}`, key]))
    const isNamed = or(...keys.map((key) => isNotNull(key)))
    let last = ''
    for (;;) {
      signal.throwIfAborted()
      const rows = await db
        .select({ id, ...columns })
        .from(table)
        .where(and(gt(id, last), isNamed))
        .orderBy(asc(id))
        .limit(PAGE)
      for (const { id: rowId, ...row } of rows) {
        last = String(rowId)
        for (const key of Object.values(row)) if (typeof key === 'string') prefixes.add(key.slice(0, DIGITS))
      }
      if (rows.length < PAGE) break
      await setImmediate()
    }
  }
  return { has: (key) => prefixes.has(key.slice(0, DIGITS)), size: prefixes.size }
}
