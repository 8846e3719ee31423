import type { AccountTables } from './tables.ts'

export type UserRow = AccountTables['users']['$inferSelect']

export type User = Pick<UserRow, 'id' | 'username' | 'email' | 'isSiteAdmin' | 'createdAt' | 'updatedAt'>

/** Without the password hash, which leaves this slice in no form. */
export const toUser = ({ id, username, email, isSiteAdmin, createdAt, updatedAt }: UserRow): User => ({
  id,
  username,
  email,
  isSiteAdmin,
  createdAt,
  updatedAt,
})
