import type { Actor } from '../platform/context.ts'
import type { AccountDeps } from './deps.ts'
import { type AuthenticatingToken, prepareFindTokenByHash } from './queries.ts'
import { hashTokenSecret, isTokenSecret } from './token-secret.ts'
import type { TokenUse } from './token-use.ts'
import { isExpired } from './token.ts'

/** Undefined for anything that is not a live token: malformed, unknown, revoked, expired, or of a kind this API does not take. */
export const authenticate = (d: AccountDeps, use: TokenUse) => {
  const findTokenByHash = prepareFindTokenByHash(d.db)
  return async (secret: string): Promise<Actor | undefined> => {
    if (!isTokenSecret(secret)) return undefined
    const token = await findTokenByHash(hashTokenSecret(secret))
    if (token === undefined || isExpired(token, d.clock.now())) return undefined
    const actor = actorOf(token)
    if (actor !== undefined) use.note(token)
    return actor
  }
}

const actorOf = (token: AuthenticatingToken): Actor | undefined => {
  const { id: tokenId, userId, organizationId, teamId, runId, workspaceId, username, isSiteAdmin } = token
  switch (token.kind) {
    case 'user':
      return userId === null || username === null || isSiteAdmin === null
        ? undefined
        : { kind: 'user', userId, username, isSiteAdmin, tokenId }
    case 'organization':
      return organizationId === null ? undefined : { kind: 'organization', organizationId, tokenId }
    case 'team':
      return organizationId === null || teamId === null ? undefined : { kind: 'team', teamId, organizationId, tokenId }
    case 'run':
      return organizationId === null || runId === null || workspaceId === null
        ? undefined
        : { kind: 'run', runId, workspaceId, organizationId, tokenId }
    case 'audit-trails':
      // Reads the audit trail and nothing else, and there is none yet.
      break
  }
  return undefined
}
