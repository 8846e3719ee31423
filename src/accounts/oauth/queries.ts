import { eq, lte } from 'drizzle-orm'
import type { Tx } from '../../platform/db/database.ts'
import type { AccountTables } from '../tables.ts'

type Writer = Tx<AccountTables>
export type AuthorizationCodeRow = AccountTables['authorizationCodes']['$inferSelect']

export const findCode = async (tx: Writer, codeHash: string): Promise<AuthorizationCodeRow | undefined> => {
  const { authorizationCodes } = tx.t
  const [row] = await tx.select().from(authorizationCodes).where(eq(authorizationCodes.codeHash, codeHash))
  return row
}

export const insertCode = async (tx: Writer, row: AuthorizationCodeRow): Promise<void> => {
  await tx.insert(tx.t.authorizationCodes).values(row)
}

/** False when it is gone already: of two who use it at once one succeeds. */
export const deleteCode = async (tx: Writer, codeHash: string): Promise<boolean> => {
  const { authorizationCodes } = tx.t
  const gone = await tx
    .delete(authorizationCodes)
    .where(eq(authorizationCodes.codeHash, codeHash))
    .returning({ id: authorizationCodes.codeHash })
  return gone.length > 0
}

export const deleteExpiredCodes = async (tx: Writer, now: Date): Promise<void> => {
  await tx.delete(tx.t.authorizationCodes).where(lte(tx.t.authorizationCodes.expiresAt, now))
}
