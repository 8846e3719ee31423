import type { AccountDeps } from '../deps.ts'
import { hashOpaqueSecret } from './opaque-secret.ts'
import { deleteSession } from './queries.ts'

/** Ends the session of `secret`; nothing when there is none. */
export const signOut =
  (d: AccountDeps) =>
  (secret: string): Promise<void> =>
    d.db.transaction((tx) => deleteSession(tx, hashOpaqueSecret(secret)))
