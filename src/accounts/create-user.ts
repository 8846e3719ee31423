import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { AccountDeps } from './deps.ts'
import { insertNewUser } from './insert-new-user.ts'
import type { CreateUser } from './schemas.ts'
import type { User } from './user.ts'
import { refuseTakenUsername } from './username-taken.ts'

/** For the system and for site administrators. Throws INVALID when the username is taken, in whatever case. */
export const createUser =
  (d: AccountDeps) =>
  async ({ actor }: Ctx, input: CreateUser): Promise<User> => {
    const isAllowed = actor.kind === 'system' || (actor.kind === 'user' && actor.isSiteAdmin)
    if (!isAllowed) throw notFound()
    return refuseTakenUsername(d.db.transaction((tx) => insertNewUser(d, tx, input)))
  }
