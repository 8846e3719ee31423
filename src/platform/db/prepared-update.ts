import { eq, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Builders, Preparable, Tx } from './database.ts'

/** Names of statements are short on PostgreSQL: a choice of columns is known by its number. */
const choices = new Map<string, number>()

const numberOf = (choice: string): number => {
  const known = choices.get(choice) ?? choices.size
  choices.set(choice, known)
  return known
}

/**
 * An update used often (see `prepare`), of the columns that `patch` has: each choice of columns, and of those that become null, is a statement of its
 * own. `build` gets the placeholders to set; `values` are those of its condition. No expressions in `patch`.
 */
export const preparedUpdate = <P extends object, R>(
  tx: Pick<Tx<unknown>, 'prepare'>,
  name: string,
  { patch, values, build }: { patch: P; values: Record<string, unknown>; build: (db: Pick<Builders, 'update'>, set: P) => Preparable<R> },
): Promise<R> => {
  const entries = Object.entries(patch).filter(([, value]) => value !== undefined)
  // The encoder of a column takes no null from a placeholder.
  const choice = entries.map(([column, value]) => (value === null ? `${column} null` : column)).join()
  const prepared = tx.prepare(`${name}_${numberOf(choice)}`, (db) => {
    const set = entries.map(([column, value]) => [column, value === null ? null : sql.placeholder(`set ${column}`)])
    // safe because the statement takes a placeholder wherever a value may be
    return build(db, Object.fromEntries(set) as P)
  })
  return prepared.execute({ ...values, ...Object.fromEntries(entries.map(([column, value]) => [`set ${column}`, value])) })
}

/** The commonest of them: some columns of one row. */
export const updateById = async (
  tx: Pick<Tx<unknown>, 'prepare'>,
  name: string,
  { table, id, patch }: { table: SQLiteTable & { id: SQLiteColumn }; id: string; patch: object },
): Promise<void> => {
  await preparedUpdate(tx, name, {
    patch,
    values: { id },
    build: (db, set) =>
      db
        .update(table)
        .set(set)
        .where(eq(table.id, sql.placeholder('id'))),
  })
}
