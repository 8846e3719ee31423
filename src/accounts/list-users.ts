import type { AccountDeps } from './deps.ts'
import { listUsers as selectUsers } from './queries.ts'
import { type User, toUser } from './user.ts'

/** Users by id, in no order; unknown ids are left out. No check: for what the caller may already see a link to. */
export const listUsers =
  (d: AccountDeps) =>
  async (ids: readonly string[]): Promise<User[]> =>
    (await selectUsers(d.db, ids)).map(toUser)
