import { randomBytes, randomUUID } from 'node:crypto'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** `length` characters of base58, uniformly distributed (rejection sampling). */
export const randomBase58 = (length: number): string => {
  let out = ''
  while (out.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 232 && out.length < length) out += ALPHABET[byte % 58]
    }
  }
  return out
}

/** External id `<prefix>-` + 16 base58 characters, e.g. `run-CZcmD7eagjhyX0vN`. */
export const newId = (prefix: string): string => `${prefix}-${randomBase58(16)}`

export const newUuid = (): string => randomUUID()

const ID = /^[a-z]+-[1-9A-HJ-NP-Za-km-z]{16}$/

/** Whether `value` could be one of our ids; anything else is answered 404 without a query. */
export const isId = (value: string): boolean => ID.test(value)
