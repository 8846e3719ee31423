import type { AccountDeps } from '../deps.ts'
import { hashOpaqueSecret, newOpaqueSecret } from '../sign-in/opaque-secret.ts'
import { deleteExpiredSetupLinks, hasUserWithPassword, insertSetupLink, lockFirstSiteAdmin } from './queries.ts'

const LIFETIME_MS = 3_600_000

/**
 * Token of a link by which the first site administrator sets user name and password: one use, one hour. Undefined once anybody has a
 * password. Links of other replicas stay valid.
 */
export const issueSetupLink = (d: AccountDeps) => (): Promise<string | undefined> =>
  d.db.transaction(async (tx) => {
    const admin = await lockFirstSiteAdmin(tx)
    if (admin === undefined || (await hasUserWithPassword(tx))) return undefined
    const now = d.clock.now()
    const token = newOpaqueSecret()
    await deleteExpiredSetupLinks(tx, now)
    await insertSetupLink(tx, {
      tokenHash: hashOpaqueSecret(token),
      userId: admin.id,
      createdAt: now,
      expiresAt: new Date(now.getTime() + LIFETIME_MS),
    })
    return token
  })
