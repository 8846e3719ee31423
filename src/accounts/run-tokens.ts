import { createToken } from './create-token.ts'
import type { AccountDeps, AccountTx } from './deps.ts'
import { deleteTokensOfRun } from './queries.ts'

export type RunTokenHolder = { runId: string; workspaceId: string; organizationId: string }

/** Tokens that terraform gets inside a run: they act as the run, on its workspace only, and end with it. */
export const runTokens = (d: AccountDeps) => ({
  /** The secret; `expiresAt` is the belt to the braces of `revoke`. */
  issue: async (tx: AccountTx, holder: RunTokenHolder, expiresAt: Date): Promise<string> =>
    (await createToken(d, tx, 'run', holder, { expiredAt: expiresAt })).secret,

  revoke: (tx: AccountTx, runId: string): Promise<void> => deleteTokensOfRun(tx, runId),
})
