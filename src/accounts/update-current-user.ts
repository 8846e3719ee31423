import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { AccountDeps } from './deps.ts'
import { lockUser, saveUser } from './queries.ts'
import type { UpdateUser } from './schemas.ts'
import { type User, toUser } from './user.ts'
import { refuseTakenUsername } from './username-taken.ts'

/** Changes the caller's own username or e-mail. Nothing given changes nothing, `updatedAt` included. */
export const updateCurrentUser =
  (d: AccountDeps) =>
  async ({ actor }: Ctx, input: UpdateUser): Promise<User> => {
    if (actor.kind !== 'user') throw notFound()
    const update = d.db.transaction(async (tx) => {
      const before = await lockUser(tx, actor.userId)
      if (before === undefined) throw notFound()
      const username = input.username ?? before.username
      const email = input.email ?? before.email
      if (username === before.username && email === before.email) return before
      const after = { ...before, username, usernameKey: username.toLowerCase(), email, updatedAt: d.clock.now() }
      await saveUser(tx, after)
      await d.outbox.emit(tx, { type: 'user.updated', subject: after.id })
      return after
    })
    return toUser(await refuseTakenUsername(update))
  }
