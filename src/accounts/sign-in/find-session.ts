import type { AccountDeps } from '../deps.ts'
import { csrfToken } from './csrf-token.ts'
import { hashOpaqueSecret } from './opaque-secret.ts'
import { findSessionWithUser, touchSession } from './queries.ts'
import type { Session } from './session.ts'

const TOUCH_MS = 60_000
const SECRET = /^[\w-]{43}$/

/** Undefined for anything that is not the secret of a live session. */
export const findSession =
  (d: AccountDeps) =>
  async (secret: string): Promise<Session | undefined> => {
    if (!SECRET.test(secret)) return undefined
    const idHash = hashOpaqueSecret(secret)
    const found = await findSessionWithUser(d.db, idHash)
    const now = d.clock.now()
    if (found === undefined || found.session.expiresAt <= now) return undefined
    const { session, user } = found
    if (now.getTime() - session.lastSeenAt.getTime() > TOUCH_MS) await d.db.transaction((tx) => touchSession(tx, idHash, now))
    return {
      actor: { kind: 'user', userId: user.id, username: user.username, isSiteAdmin: user.isSiteAdmin },
      email: user.email,
      csrfToken: csrfToken(secret),
      expiresAt: session.expiresAt,
    }
  }
