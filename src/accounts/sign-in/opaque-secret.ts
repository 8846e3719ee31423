import { createHash, randomBytes } from 'node:crypto'

/** 256 bits of chance as base64url: for cookies, one-time links and codes. One round of SHA-256 is enough to store it by. */
export const newOpaqueSecret = (): string => randomBytes(32).toString('base64url')

export const hashOpaqueSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')
