import { isUniqueViolation } from '../platform/db/errors.ts'
import { createToken } from './create-token.ts'
import type { AccountDeps } from './deps.ts'
import { insertNewUser } from './insert-new-user.ts'
import { countUsers } from './queries.ts'
import type { NewToken } from './token.ts'
import type { User } from './user.ts'

/**
 * The first site administrator, `admin`, with a user token, when there is no user at all; undefined otherwise. Two replicas that
 * start at once make one: the second meets the unique username. The secret is in the answer and nowhere else.
 */
export const bootstrapAdmin = (d: AccountDeps) => async (): Promise<(NewToken & { user: User }) | undefined> => {
  try {
    return await d.db.transaction(async (tx) => {
      if ((await countUsers(tx)) > 0) return undefined
      const user = await insertNewUser(d, tx, { username: 'admin', email: 'admin@localhost', isSiteAdmin: true })
      const made = await createToken(d, tx, 'user', { userId: user.id, createdByUserId: user.id }, { description: 'first administrator' })
      return { ...made, user }
    })
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}
