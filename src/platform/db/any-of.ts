import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import type { Dialect } from './database.ts'

/** Whether the column is one of however many texts. They come in one placeholder, so that the query can be prepared; `textsFor` makes its value. */
export const isAnyOf = (dialect: Dialect, column: AnyColumn, name: string): SQL =>
  dialect === 'postgres'
    ? sql`${column} = any(${sql.placeholder(name)})`
    : sql`${column} in (select value from json_each(${sql.placeholder(name)}))`

export const textsFor = (dialect: Dialect, texts: readonly string[]): unknown => (dialect === 'postgres' ? texts : JSON.stringify(texts))
