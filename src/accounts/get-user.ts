import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { AccountDeps } from './deps.ts'
import { findUser } from './queries.ts'
import { type User, toUser } from './user.ts'

/** Oneself; site administrators and the system see everybody. NOT_FOUND otherwise. */
export const getUser =
  (d: AccountDeps) =>
  async ({ actor }: Ctx, id: string): Promise<User> => {
    const isAllowed = actor.kind === 'system' || (actor.kind === 'user' && (actor.userId === id || actor.isSiteAdmin))
    const row = isAllowed ? await findUser(d.db, id) : undefined
    if (row === undefined) throw notFound()
    return toUser(row)
  }
