import type { AccountDeps, AccountTx } from '../deps.ts'
import { hashOpaqueSecret, newOpaqueSecret } from './opaque-secret.ts'
import { deleteExpiredSessions, insertSession } from './queries.ts'
import type { NewSession } from './session.ts'

const LIFETIME_MS = 14 * 86_400_000

/** A session of 14 days, whether it is used or not. */
export const openSession = async (d: Pick<AccountDeps, 'clock'>, tx: AccountTx, userId: string): Promise<NewSession> => {
  const now = d.clock.now()
  const secret = newOpaqueSecret()
  const expiresAt = new Date(now.getTime() + LIFETIME_MS)
  await deleteExpiredSessions(tx, now)
  await insertSession(tx, { idHash: hashOpaqueSecret(secret), userId, createdAt: now, lastSeenAt: now, expiresAt })
  return { secret, expiresAt }
}
