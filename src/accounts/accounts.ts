import { authenticate } from './authenticate.ts'
import { bootstrapAdmin } from './bootstrap.ts'
import { createUserToken } from './create-user-token.ts'
import { createUser } from './create-user.ts'
import { deleteToken } from './delete-token.ts'
import type { AccountDeps } from './deps.ts'
import { getCurrentAccount } from './get-current-account.ts'
import { getToken } from './get-token.ts'
import { getUser } from './get-user.ts'
import { listUserTokens } from './list-user-tokens.ts'
import { listUsers } from './list-users.ts'
import { organizationTokens } from './organization-tokens.ts'
import { runTokens } from './run-tokens.ts'
import { makeTokenUse } from './token-use.ts'
import { updateCurrentUser } from './update-current-user.ts'

/** Users and every kind of API token. `stop` writes what is pending; call it before the database is closed. */
export const makeAccounts = (d: AccountDeps) => {
  const use = makeTokenUse(d)
  return {
    authenticate: authenticate(d, use),
    bootstrapAdmin: bootstrapAdmin(d),
    createUser: createUser(d),
    createUserToken: createUserToken(d),
    deleteToken: deleteToken(d),
    getCurrentAccount: getCurrentAccount(d),
    getToken: getToken(d),
    getUser: getUser(d),
    listUserTokens: listUserTokens(d),
    listUsers: listUsers(d),
    updateCurrentUser: updateCurrentUser(d),
    organizationTokens: organizationTokens(d),
    runTokens: runTokens(d),
    stop: () => use.flush(),
  }
}

export type Accounts = ReturnType<typeof makeAccounts>
