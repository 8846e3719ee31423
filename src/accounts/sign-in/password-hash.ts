import { scrypt } from 'node:crypto'

export type ScryptCost = { logN: number; r: number; p: number }
export type PasswordHash = { cost: ScryptCost; salt: Buffer; key: Buffer }

const KEY_BYTES = 32

/** The same password typed on another keyboard may come in another normal form. */
export const deriveKey = (password: string, salt: Buffer, { logN, r, p }: ScryptCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const N = 2 ** logN
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })

export const formatPasswordHash = ({ cost: { logN, r, p }, salt, key }: PasswordHash): string =>
  ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')

/** Throws for a text that `formatPasswordHash` did not write. */
export const parsePasswordHash = (text: string): PasswordHash => {
  const [, logN, r, p, salt, key] = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(text) ?? []
  if (salt === undefined || key === undefined) throw new Error('the stored password hash has an unknown form')
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  }
}
