import { AppError } from '../../platform/errors.ts'
import type { AccountDeps, AccountTx } from '../deps.ts'
import { hashOpaqueSecret } from '../sign-in/opaque-secret.ts'
import { type User, type UserRow, toUser } from '../user.ts'
import { findSetupLinkWithUser } from './queries.ts'

/** Whose password the link sets. Throws GONE when the link was used, has expired or never was. */
export const getSetupLink =
  (d: AccountDeps) =>
  async (token: string): Promise<User> =>
    toUser(await readSetupLink(d, d.db, token))

export const readSetupLink = async (
  d: Pick<AccountDeps, 'clock'>,
  reader: Pick<AccountTx, 't' | 'select'>,
  token: string,
): Promise<UserRow> => {
  const found = await findSetupLinkWithUser(reader, hashOpaqueSecret(token))
  if (found === undefined || found.link.expiresAt <= d.clock.now())
    throw new AppError(
      'GONE',
      'This link has been used or has expired. Restart the server: it writes a new one to setup.url in its data directory.',
    )
  return found.user
}
