import { newId } from '../platform/ids.ts'
import type { AccountDeps, AccountTx } from './deps.ts'
import { insertUser } from './queries.ts'
import type { CreateUser } from './schemas.ts'
import { type User, type UserRow, toUser } from './user.ts'

export const insertNewUser = async (d: AccountDeps, tx: AccountTx, input: CreateUser): Promise<User> => {
  const now = d.clock.now()
  const row: UserRow = {
    id: newId('user'),
    username: input.username,
    usernameKey: input.username.toLowerCase(),
    email: input.email,
    passwordHash: null,
    isSiteAdmin: input.isSiteAdmin ?? false,
    createdAt: now,
    updatedAt: now,
  }
  await insertUser(tx, row)
  await d.outbox.emit(tx, { type: 'user.created', subject: row.id })
  return toUser(row)
}
