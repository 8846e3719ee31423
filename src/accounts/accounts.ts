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
import { issueAuthorizationCode } from './oauth/issue-code.ts'
import { redeemAuthorizationCode } from './oauth/redeem-code.ts'
import { organizationTokens } from './organization-tokens.ts'
import { teamTokens } from './team-tokens.ts'
import { runTokens } from './run-tokens.ts'
import { finishSetup } from './setup/finish-setup.ts'
import { getSetupLink } from './setup/get-setup-link.ts'
import { issueSetupLink } from './setup/issue-setup-link.ts'
import { makeAttemptLimit } from './sign-in/attempt-limit.ts'
import { findSession } from './sign-in/find-session.ts'
import { signIn } from './sign-in/sign-in.ts'
import { signOut } from './sign-in/sign-out.ts'
import { makeTokenUse } from './token-use.ts'
import { updateCurrentUser } from './update-current-user.ts'

/** Users, their browser sessions, and every kind of API token. `stop` writes what is pending; call it before the database is closed. */
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
    teamTokens: teamTokens(d),
    runTokens: runTokens(d),
    signIn: signIn(d, makeAttemptLimit(d)),
    findSession: findSession(d),
    signOut: signOut(d),
    issueSetupLink: issueSetupLink(d),
    getSetupLink: getSetupLink(d),
    finishSetup: finishSetup(d),
    issueAuthorizationCode: issueAuthorizationCode(d),
    redeemAuthorizationCode: redeemAuthorizationCode(d),
    stop: () => use.flush(),
  }
}

export type Accounts = ReturnType<typeof makeAccounts>
