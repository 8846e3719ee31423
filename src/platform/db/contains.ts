import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

/** Whether the column contains the text as it is written, in whatever case: `%` and `_` mean themselves. */
export const contains = (column: AnyColumn, text: string): SQL =>
  sql`lower(${column}) like ${`%${text.toLowerCase().replaceAll(/[\\%_]/g, (special) => `\\${special}`)}%`} escape '\\'`
