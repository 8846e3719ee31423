import { AppError } from '../platform/errors.ts'
import { createToken, eventScope } from './create-token.ts'
import type { AccountDeps, AccountTx } from './deps.ts'
import { deleteTokenById, deleteTokensOfTeam, findTokenOfTeam } from './queries.ts'
import type { CreateToken } from './schemas.ts'
import { type NewToken, type Token, toToken } from './token.ts'

type Team = { id: string; organizationId: string }

/**
 * The tokens of teams: one without description, and any number with different ones. For the organizations slice, which checks the rights
 * and owns the transaction.
 */
export const teamTokens = (d: AccountDeps) => ({
  /** The one without description. */
  find: async (teamId: string): Promise<Token | undefined> => {
    const row = await findTokenOfTeam(d.db, teamId, null)
    return row && toToken(row)
  },

  /** Without a description it ends the former one; INVALID for a description that another token of the team has. */
  create: async (
    tx: AccountTx,
    { id: teamId, organizationId }: Team,
    createdByUserId: string | undefined,
    input: CreateToken,
  ): Promise<NewToken> => {
    const description = input.description ?? null
    const former = await findTokenOfTeam(tx, teamId, description)
    if (former !== undefined && description !== null) throw descriptionTaken()
    if (former !== undefined) await deleteTokenById(tx, former.id)
    const creator = createdByUserId ?? former?.createdByUserId ?? null
    return createToken(d, tx, 'team', { organizationId, teamId, createdByUserId: creator }, input)
  },

  /** The one without description; false when there is none. */
  remove: async (tx: AccountTx, teamId: string): Promise<boolean> => {
    const row = await findTokenOfTeam(tx, teamId, null)
    if (row === undefined) return false
    await deleteTokenById(tx, row.id)
    await d.outbox.emit(tx, { type: 'token.deleted', subject: row.id, ...eventScope(row) })
    return true
  },

  /** All of them, for the end of a team. */
  removeAll: (tx: AccountTx, teamId: string): Promise<void> => deleteTokensOfTeam(tx, teamId),
})

/** Title and text are those that clients know. */
const descriptionTaken = () =>
  new AppError('INVALID', 'Validation failed: Description has already been taken', {
    title: 'invalid attributes',
    source: { pointer: '/data/attributes/description' },
  })
