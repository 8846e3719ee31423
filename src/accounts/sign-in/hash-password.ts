import { randomBytes } from 'node:crypto'
import { deriveKey, formatPasswordHash, type ScryptCost } from './password-hash.ts'

/** 32 MiB and about a quarter of a second; the parameters are in each hash, so they can be raised later. */
const COST: ScryptCost = { logN: 15, r: 8, p: 3 }

/** `scrypt$15$8$3$<salt>$<key>`, salt and key in base64url. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(16)
  return formatPasswordHash({ cost: COST, salt, key: await deriveKey(password, salt, COST) })
}
