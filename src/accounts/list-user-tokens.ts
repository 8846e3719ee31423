import type { Ctx } from '../platform/context.ts'
import type { AccountDeps } from './deps.ts'
import { listTokensOfUser } from './queries.ts'
import { type Token, toToken } from './token.ts'

/** One's own tokens, newest first. Those of others: an empty list, whether the user exists or not. */
export const listUserTokens =
  (d: AccountDeps) =>
  async ({ actor }: Ctx, userId: string): Promise<Token[]> =>
    actor.kind === 'user' && actor.userId === userId ? (await listTokensOfUser(d.db, userId)).map(toToken) : []
