import { timingSafeEqual } from 'node:crypto'
import { hashPassword } from './hash-password.ts'
import { deriveKey, parsePasswordHash } from './password-hash.ts'

/** False for null, after as much work: how long it takes does not tell whether the user exists. */
export const verifyPassword = async (password: string, stored: string | null): Promise<boolean> => {
  if (stored === null) {
    await hashPassword(password)
    return false
  }
  const { cost, salt, key } = parsePasswordHash(stored)
  return timingSafeEqual(await deriveKey(password, salt, cost), key)
}
