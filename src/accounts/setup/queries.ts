import { asc, eq, isNotNull, lte } from 'drizzle-orm'
import type { Tx } from '../../platform/db/database.ts'
import type { AccountTables } from '../tables.ts'
import type { UserRow } from '../user.ts'

type Reader = Pick<Tx<AccountTables>, 't' | 'select'>
type Writer = Tx<AccountTables>
type SetupLinkRow = AccountTables['setupLinks']['$inferSelect']

export const hasUserWithPassword = async (reader: Reader): Promise<boolean> => {
  const { users } = reader.t
  const rows = await reader.select({ id: users.id }).from(users).where(isNotNull(users.passwordHash)).limit(1)
  return rows.length > 0
}

export const lockFirstSiteAdmin = async (tx: Writer): Promise<UserRow | undefined> => {
  const { users } = tx.t
  const first = tx.select().from(users).where(eq(users.isSiteAdmin, true)).orderBy(asc(users.createdAt), asc(users.id)).limit(1)
  const [row] = await tx.forUpdate(first)
  return row
}

export const findSetupLinkWithUser = async (
  reader: Reader,
  tokenHash: string,
): Promise<{ link: SetupLinkRow; user: UserRow } | undefined> => {
  const { setupLinks, users } = reader.t
  const [row] = await reader
    .select({ link: setupLinks, user: users })
    .from(setupLinks)
    .innerJoin(users, eq(users.id, setupLinks.userId))
    .where(eq(setupLinks.tokenHash, tokenHash))
  return row
}

export const insertSetupLink = async (tx: Writer, row: SetupLinkRow): Promise<void> => {
  await tx.insert(tx.t.setupLinks).values(row)
}

export const deleteSetupLinksOfUser = async (tx: Writer, userId: string): Promise<void> => {
  await tx.delete(tx.t.setupLinks).where(eq(tx.t.setupLinks.userId, userId))
}

export const deleteExpiredSetupLinks = async (tx: Writer, now: Date): Promise<void> => {
  await tx.delete(tx.t.setupLinks).where(lte(tx.t.setupLinks.expiresAt, now))
}
