import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { createToken } from './create-token.ts'
import type { AccountDeps } from './deps.ts'
import type { CreateToken } from './schemas.ts'
import type { NewToken } from './token.ts'

/** Only with a user token and only for oneself; the system may for anybody. NOT_FOUND otherwise. */
export const createUserToken =
  (d: AccountDeps) =>
  async ({ actor }: Ctx, userId: string, input: CreateToken): Promise<NewToken> => {
    const isAllowed = actor.kind === 'system' || (actor.kind === 'user' && actor.userId === userId)
    if (!isAllowed) throw notFound()
    return d.db.transaction((tx) => createToken(d, tx, 'user', { userId, createdByUserId: userId }, input))
  }
