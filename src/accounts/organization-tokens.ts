import { createToken, eventScope } from './create-token.ts'
import type { AccountDeps, AccountTx } from './deps.ts'
import { deleteTokenById, deleteTokensOfOrganization, findTokenOfOrganization } from './queries.ts'
import type { CreateToken } from './schemas.ts'
import type { OrganizationTokenKind } from './tables.ts'
import { type NewToken, type Token, toToken } from './token.ts'

/**
 * The tokens of organizations, one per kind. For the organizations slice, which checks the rights and owns the transaction.
 * `replace` returns a new secret and ends the old one; who created the first stays its creator when a token renews itself.
 */
export const organizationTokens = (d: AccountDeps) => ({
  find: async (organizationId: string, kind: OrganizationTokenKind): Promise<Token | undefined> => {
    const row = await findTokenOfOrganization(d.db, organizationId, kind)
    return row && toToken(row)
  },

  replace: async (
    tx: AccountTx,
    organizationId: string,
    kind: OrganizationTokenKind,
    createdByUserId: string | undefined,
    input: CreateToken,
  ): Promise<NewToken> => {
    const former = await findTokenOfOrganization(tx, organizationId, kind)
    if (former !== undefined) await deleteTokenById(tx, former.id)
    const creator = createdByUserId ?? former?.createdByUserId ?? null
    return createToken(d, tx, kind, { organizationId, createdByUserId: creator }, input)
  },

  /** False when there is none. */
  remove: async (tx: AccountTx, organizationId: string, kind: OrganizationTokenKind): Promise<boolean> => {
    const row = await findTokenOfOrganization(tx, organizationId, kind)
    if (row === undefined) return false
    await deleteTokenById(tx, row.id)
    await d.outbox.emit(tx, { type: 'token.deleted', subject: row.id, ...eventScope(row) })
    return true
  },

  /** Of all kinds, for the end of an organization. */
  removeAll: (tx: AccountTx, organizationId: string): Promise<void> => deleteTokensOfOrganization(tx, organizationId),
})
