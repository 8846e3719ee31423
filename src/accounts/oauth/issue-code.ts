import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { AccountDeps } from '../deps.ts'
import { hashOpaqueSecret, newOpaqueSecret } from '../sign-in/opaque-secret.ts'
import { deleteExpiredCodes, insertCode } from './queries.ts'

const LIFETIME_MS = 5 * 60_000

/** What the user approves. `codeChallenge` is that of PKCE with S256. */
export type Authorization = { clientId: string; redirectUri: string; codeChallenge: string }

/** A code for a client that the signed-in user approves: one use, five minutes. */
export const issueAuthorizationCode =
  (d: AccountDeps) =>
  async ({ actor }: Ctx, authorization: Authorization): Promise<string> => {
    if (actor.kind !== 'user') throw notFound()
    const code = newOpaqueSecret()
    const now = d.clock.now()
    await d.db.transaction(async (tx) => {
      await deleteExpiredCodes(tx, now)
      await insertCode(tx, {
        codeHash: hashOpaqueSecret(code),
        userId: actor.userId,
        ...authorization,
        createdAt: now,
        expiresAt: new Date(now.getTime() + LIFETIME_MS),
      })
    })
    return code
  }
