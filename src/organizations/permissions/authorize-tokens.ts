import type { OrganizationTokenKind } from '../../accounts/index.ts'
import type { Ctx } from '../../platform/context.ts'
import type { Authorize } from './authorize.ts'

/** Owners manage an organization's tokens; the organization token may read, renew and end itself. NOT_FOUND otherwise. */
export const authorizeTokens =
  (authorize: Authorize) =>
  async (ctx: Ctx, organizationId: string, kind: OrganizationTokenKind): Promise<void> => {
    const { actor } = ctx
    if (actor.kind === 'organization' && actor.organizationId === organizationId && kind === 'organization') return
    await authorize(ctx, 'organization:tokens', { organizationId })
  }

export type AuthorizeTokens = ReturnType<typeof authorizeTokens>
