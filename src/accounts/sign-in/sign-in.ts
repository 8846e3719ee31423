import { AppError } from '../../platform/errors.ts'
import type { AccountDeps } from '../deps.ts'
import type { AttemptLimit } from './attempt-limit.ts'
import { openSession } from './open-session.ts'
import { findUserByKey } from './queries.ts'
import type { NewSession } from './session.ts'
import { verifyPassword } from './verify-password.ts'

type SignIn = { username: string; password: string; /** Of the client, for the limit of attempts. */ address: string }

/** By user name in whatever case. Throws UNAUTHORIZED, the same whether the user exists or not, and RATE_LIMITED. */
export const signIn =
  (d: AccountDeps, attempts: AttemptLimit) =>
  async ({ username, password, address }: SignIn): Promise<NewSession> => {
    const account = username.trim().toLowerCase().slice(0, 100)
    attempts.begin(account, address)
    const user = await findUserByKey(d.db, account)
    const isRight = await verifyPassword(password, user?.passwordHash ?? null)
    if (user === undefined || !isRight) throw new AppError('UNAUTHORIZED', 'The user name or the password is wrong.')
    attempts.succeed(account, address)
    return d.db.transaction((tx) => openSession(d, tx, user.id))
  }
