import { and, count, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Database, Tx } from '../platform/db/database.ts'
import type { AccountTables, TokenKind } from './tables.ts'
import type { TokenRow } from './token.ts'
import type { UserRow } from './user.ts'

type Reader = Pick<Tx<AccountTables>, 't' | 'select'>
type Writer = Tx<AccountTables>

export const findUser = async (reader: Reader, id: string): Promise<UserRow | undefined> => {
  const [row] = await reader.select().from(reader.t.users).where(eq(reader.t.users.id, id))
  return row
}

export const lockUser = async (tx: Writer, id: string): Promise<UserRow | undefined> => {
  const [row] = await tx.forUpdate(tx.select().from(tx.t.users).where(eq(tx.t.users.id, id)))
  return row
}

export const listUsers = async (reader: Reader, ids: readonly string[]): Promise<UserRow[]> =>
  reader
    .select()
    .from(reader.t.users)
    .where(inArray(reader.t.users.id, [...ids]))

export const countUsers = async (reader: Reader): Promise<number> => {
  const [row] = await reader.select({ users: count() }).from(reader.t.users)
  return row?.users ?? 0
}

export const insertUser = async (tx: Writer, row: UserRow): Promise<void> => {
  await tx.insert(tx.t.users).values(row)
}

export const saveUser = async (tx: Writer, { id, ...changes }: Partial<UserRow> & { id: string }): Promise<void> => {
  await tx.update(tx.t.users).set(changes).where(eq(tx.t.users.id, id))
}

export const findToken = async (reader: Reader, id: string): Promise<TokenRow | undefined> => {
  const [row] = await reader.select().from(reader.t.tokens).where(eq(reader.t.tokens.id, id))
  return row
}

/** Newest first. */
export const listTokensOfUser = async (reader: Reader, userId: string): Promise<TokenRow[]> => {
  const { tokens } = reader.t
  return reader
    .select()
    .from(tokens)
    .where(and(eq(tokens.userId, userId), eq(tokens.kind, 'user')))
    .orderBy(desc(tokens.createdAt), desc(tokens.id))
}

export const findTokenOfOrganization = async (reader: Reader, organizationId: string, kind: TokenKind): Promise<TokenRow | undefined> => {
  const { tokens } = reader.t
  const [row] = await reader
    .select()
    .from(tokens)
    .where(and(eq(tokens.organizationId, organizationId), eq(tokens.kind, kind)))
  return row
}

/** Of a team: the one without description, or the one with it. */
export const findTokenOfTeam = async (reader: Reader, teamId: string, description: string | null): Promise<TokenRow | undefined> => {
  const { tokens } = reader.t
  const isIt = description === null ? isNull(tokens.description) : eq(tokens.description, description)
  const [row] = await reader
    .select()
    .from(tokens)
    .where(and(eq(tokens.teamId, teamId), isIt))
  return row
}

export const insertToken = async (tx: Writer, row: TokenRow): Promise<void> => {
  await tx.insert(tx.t.tokens).values(row)
}

export const deleteTokenById = async (tx: Writer, id: string): Promise<void> => {
  await tx.delete(tx.t.tokens).where(eq(tx.t.tokens.id, id))
}

export const deleteTokensOfTeam = async (tx: Writer, teamId: string): Promise<void> => {
  await tx.delete(tx.t.tokens).where(eq(tx.t.tokens.teamId, teamId))
}

/** Of all kinds, run tokens included. */
export const deleteTokensOfOrganization = async (tx: Writer, organizationId: string): Promise<void> => {
  await tx.delete(tx.t.tokens).where(eq(tx.t.tokens.organizationId, organizationId))
}

export const deleteTokensOfRun = async (tx: Writer, runId: string): Promise<void> => {
  await tx.delete(tx.t.tokens).where(eq(tx.t.tokens.runId, runId))
}

export const touchTokens = async (tx: Writer, ids: readonly string[], lastUsedAt: Date): Promise<void> => {
  await tx
    .update(tx.t.tokens)
    .set({ lastUsedAt })
    .where(inArray(tx.t.tokens.id, [...ids]))
}

/** Every request asks this, so it is planned once. */
export const prepareFindTokenByHash = (db: Database<AccountTables>) => {
  const { tokens, users } = db.t
  const prepared = db.prepare('accounts_find_token_by_hash', (q) =>
    q
      .select({
        id: tokens.id,
        kind: tokens.kind,
        userId: tokens.userId,
        organizationId: tokens.organizationId,
        teamId: tokens.teamId,
        workspaceId: tokens.workspaceId,
        runId: tokens.runId,
        lastUsedAt: tokens.lastUsedAt,
        expiresAt: tokens.expiresAt,
        username: users.username,
        isSiteAdmin: users.isSiteAdmin,
      })
      .from(tokens)
      .leftJoin(users, eq(users.id, tokens.userId))
      .where(eq(tokens.secretHash, sql.placeholder('secretHash'))),
  )
  return async (secretHash: string) => {
    const [row] = await prepared.execute({ secretHash })
    return row
  }
}

export type AuthenticatingToken = NonNullable<Awaited<ReturnType<ReturnType<typeof prepareFindTokenByHash>>>>
