import { createHash } from 'node:crypto'
import { randomBase58 } from '../platform/ids.ts'

const SECRET = /^[1-9A-HJ-NP-Za-km-z]{14}\.terranev1\.[1-9A-HJ-NP-Za-km-z]{60,80}$/

/** `<14 base58>.terranev1.<67 base58>`: about 390 bits of chance, so one round of SHA-256 is enough to store it by. */
export const newTokenSecret = (): string => `${randomBase58(14)}.terranev1.${randomBase58(67)}`

/** Whether `text` could be one of our secrets; anything else needs no look into the database. */
export const isTokenSecret = (text: string): boolean => SECRET.test(text)

export const hashTokenSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')
