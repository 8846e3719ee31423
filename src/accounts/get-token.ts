import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { AccountDeps } from './deps.ts'
import { findToken } from './queries.ts'
import { type Token, toToken } from './token.ts'

/** One's own token, or one of an organization or a team whose tokens one may manage. NOT_FOUND otherwise; run tokens are nobody's to see. */
export const getToken =
  (d: AccountDeps) =>
  async (ctx: Ctx, id: string): Promise<Token> => {
    const row = await findToken(d.db, id)
    if (row === undefined || row.kind === 'run') throw notFound()
    if (row.kind === 'user') {
      if (ctx.actor.kind !== 'user' || ctx.actor.userId !== row.userId) throw notFound()
    } else if (row.kind === 'team') {
      if (row.teamId === null) throw notFound()
      await d.organizations.authorizeTeamTokens(ctx, row.teamId)
    } else {
      if (row.organizationId === null) throw notFound()
      await d.organizations.authorizeTokens(ctx, row.organizationId, row.kind)
    }
    return toToken(row)
  }
