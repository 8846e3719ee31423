import type { AccountTables } from './tables.ts'

export type TokenRow = AccountTables['tokens']['$inferSelect']

/** A token without its secret: that is known to its holder only. */
export type Token = Omit<TokenRow, 'secretHash'>

export type NewToken = { token: Token; /** Shown once, stored nowhere. */ secret: string }

export const toToken = (row: TokenRow): Token => {
  const { secretHash: _secretHash, ...token } = row
  return token
}

/** When a token ends for which no end was asked: two years after its creation. */
export const defaultExpiry = (createdAt: Date): Date => {
  const at = new Date(createdAt)
  at.setUTCFullYear(at.getUTCFullYear() + 2)
  return at
}

export const isExpired = (token: Pick<TokenRow, 'expiresAt'>, now: Date): boolean => token.expiresAt !== null && token.expiresAt <= now
