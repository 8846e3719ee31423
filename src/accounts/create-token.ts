import { invalid } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { AccountDeps, AccountTx } from './deps.ts'
import { insertToken } from './queries.ts'
import type { CreateToken } from './schemas.ts'
import type { TokenKind } from './tables.ts'
import { hashTokenSecret, newTokenSecret } from './token-secret.ts'
import { type NewToken, type TokenRow, defaultExpiry, toToken } from './token.ts'

type Holder = Partial<Pick<TokenRow, 'userId' | 'organizationId' | 'teamId' | 'runId' | 'workspaceId' | 'createdByUserId'>>

/** Writes a token of any kind. Throws INVALID for an expiry in the past. */
export const createToken = async (
  d: AccountDeps,
  tx: AccountTx,
  kind: TokenKind,
  holder: Holder,
  input: CreateToken,
): Promise<NewToken> => {
  const createdAt = d.clock.now()
  const expiresAt = input.expiredAt ?? defaultExpiry(createdAt)
  if (expiresAt <= createdAt) throw invalid('Expired at must be in the future', 'expired-at')
  const secret = newTokenSecret()
  const row: TokenRow = {
    id: newId('at'),
    kind,
    secretHash: hashTokenSecret(secret),
    userId: holder.userId ?? null,
    organizationId: holder.organizationId ?? null,
    teamId: holder.teamId ?? null,
    runId: holder.runId ?? null,
    workspaceId: holder.workspaceId ?? null,
    createdByUserId: holder.createdByUserId ?? null,
    description: input.description ?? null,
    createdAt,
    lastUsedAt: null,
    expiresAt,
  }
  await insertToken(tx, row)
  await d.outbox.emit(tx, { type: 'token.created', subject: row.id, ...eventScope(row) })
  return { token: toToken(row), secret }
}

/** The part of a token event that says whose token it was. */
export const eventScope = (token: Pick<TokenRow, 'kind' | 'organizationId'>) => ({
  ...(token.organizationId === null ? {} : { organizationId: token.organizationId }),
  payload: { kind: token.kind },
})
