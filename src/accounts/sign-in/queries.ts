import { eq, lte } from 'drizzle-orm'
import type { Tx } from '../../platform/db/database.ts'
import type { AccountTables } from '../tables.ts'
import type { UserRow } from '../user.ts'

type Reader = Pick<Tx<AccountTables>, 't' | 'select'>
type Writer = Tx<AccountTables>

export type SessionRow = AccountTables['sessions']['$inferSelect']

export const findUserByKey = async (reader: Reader, usernameKey: string): Promise<UserRow | undefined> => {
  const [row] = await reader.select().from(reader.t.users).where(eq(reader.t.users.usernameKey, usernameKey))
  return row
}

export const findSessionWithUser = async (reader: Reader, idHash: string): Promise<{ session: SessionRow; user: UserRow } | undefined> => {
  const { sessions, users } = reader.t
  const [row] = await reader
    .select({ session: sessions, user: users })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.idHash, idHash))
  return row
}

export const insertSession = async (tx: Writer, row: SessionRow): Promise<void> => {
  await tx.insert(tx.t.sessions).values(row)
}

export const touchSession = async (tx: Writer, idHash: string, lastSeenAt: Date): Promise<void> => {
  await tx.update(tx.t.sessions).set({ lastSeenAt }).where(eq(tx.t.sessions.idHash, idHash))
}

export const deleteSession = async (tx: Writer, idHash: string): Promise<void> => {
  await tx.delete(tx.t.sessions).where(eq(tx.t.sessions.idHash, idHash))
}

export const deleteSessionsOfUser = async (tx: Writer, userId: string): Promise<void> => {
  await tx.delete(tx.t.sessions).where(eq(tx.t.sessions.userId, userId))
}

export const deleteExpiredSessions = async (tx: Writer, now: Date): Promise<void> => {
  await tx.delete(tx.t.sessions).where(lte(tx.t.sessions.expiresAt, now))
}
