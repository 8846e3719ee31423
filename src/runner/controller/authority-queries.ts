import { and, eq } from 'drizzle-orm'
import type { Database, Tx } from '../../platform/db/database.ts'
import type { RunnerTables } from '../tables.ts'

export type AuthorityRow = RunnerTables['certificateAuthorities']['$inferSelect']

export const findActiveAuthority = async (db: Database<RunnerTables>, purpose: string): Promise<AuthorityRow | undefined> => {
  const t = db.t.certificateAuthorities
  const rows = await db
    .select()
    .from(t)
    .where(and(eq(t.purpose, purpose), eq(t.status, 'active')))
  return rows[0]
}

/** Makes room for a new active authority of the same purpose. */
export const retireAuthority = async (tx: Tx<RunnerTables>, id: string): Promise<void> => {
  const t = tx.t.certificateAuthorities
  await tx
    .update(t)
    .set({ status: `retired ${id}` })
    .where(eq(t.id, id))
}

export const insertAuthority = async (tx: Tx<RunnerTables>, row: AuthorityRow): Promise<void> => {
  await tx.insert(tx.t.certificateAuthorities).values(row)
}

/** The active one and those that it replaced. */
export const listAuthorities = (db: Database<RunnerTables>, purpose: string): Promise<AuthorityRow[]> => {
  const t = db.t.certificateAuthorities
  return db.select().from(t).where(eq(t.purpose, purpose))
}
