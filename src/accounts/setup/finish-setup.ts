import type { AccountDeps } from '../deps.ts'
import { lockUser, saveUser } from '../queries.ts'
import type { FinishSetup } from '../schemas.ts'
import { hashPassword } from '../sign-in/hash-password.ts'
import { openSession } from '../sign-in/open-session.ts'
import { deleteSessionsOfUser } from '../sign-in/queries.ts'
import type { NewSession } from '../sign-in/session.ts'
import { refuseTakenUsername } from '../username-taken.ts'
import { readSetupLink } from './get-setup-link.ts'
import { deleteSetupLinksOfUser } from './queries.ts'

/** Sets user name and password, uses the link up and signs the user in. Throws GONE, and INVALID when the name is taken. */
export const finishSetup =
  (d: AccountDeps) =>
  async (token: string, { username, password }: FinishSetup): Promise<NewSession> => {
    const { id } = await readSetupLink(d, d.db, token)
    const passwordHash = await hashPassword(password)
    const write = d.db.transaction(async (tx) => {
      // two at once: the second finds the link used
      await lockUser(tx, id)
      const user = await readSetupLink(d, tx, token)
      await saveUser(tx, { id: user.id, username, usernameKey: username.toLowerCase(), passwordHash, updatedAt: d.clock.now() })
      await deleteSetupLinksOfUser(tx, user.id)
      await deleteSessionsOfUser(tx, user.id)
      const session = await openSession(d, tx, user.id)
      await d.outbox.emit(tx, { type: 'user.updated', subject: user.id })
      return session
    })
    return refuseTakenUsername(write)
  }
