import { createHash, timingSafeEqual } from 'node:crypto'
import { createToken } from '../create-token.ts'
import type { AccountDeps } from '../deps.ts'
import { hashOpaqueSecret } from '../sign-in/opaque-secret.ts'
import { deleteCode, findCode } from './queries.ts'

export type Redemption = { code: string; codeVerifier: string; clientId: string; redirectUri: string }

/** Turns a code into a user token and answers its secret. Undefined for a code that is unknown, used, expired, or not meant for this. */
export const redeemAuthorizationCode =
  (d: AccountDeps) =>
  ({ code, codeVerifier, clientId, redirectUri }: Redemption): Promise<string | undefined> =>
    d.db.transaction(async (tx) => {
      const codeHash = hashOpaqueSecret(code)
      const row = await findCode(tx, codeHash)
      if (row === undefined || row.expiresAt <= d.clock.now()) return undefined
      if (row.clientId !== clientId || row.redirectUri !== redirectUri || !isVerifierOf(row.codeChallenge, codeVerifier)) return undefined
      if (!(await deleteCode(tx, codeHash))) return undefined
      const { secret } = await createToken(
        d,
        tx,
        'user',
        { userId: row.userId, createdByUserId: row.userId },
        { description: 'terraform login' },
      )
      return secret
    })

const isVerifierOf = (challenge: string, verifier: string): boolean => {
  const expected = Buffer.from(challenge)
  const actual = Buffer.from(createHash('sha256').update(verifier).digest('base64url'))
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
