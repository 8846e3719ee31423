import type { CreateToken, NewToken, OrganizationTokenKind, Token } from '../accounts/index.ts'
import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { OrganizationDeps } from './deps.ts'
import type { GetOrganization } from './get-organization.ts'
import type { AuthorizeTokens } from './permissions/authorize-tokens.ts'
import { lockOrganization } from './queries.ts'

/** The tokens of an organization: at most one per kind. */
export const manageTokens = (d: OrganizationDeps, get: GetOrganization, authorizeTokens: AuthorizeTokens) => {
  const tokens = d.accounts.organizationTokens
  const organizationIdOf = async (ctx: Ctx, name: string, kind: OrganizationTokenKind): Promise<string> => {
    const { id } = await get(ctx, name)
    await authorizeTokens(ctx, id, kind)
    return id
  }

  return {
    /** Ends the former one of the kind. */
    replaceToken: async (ctx: Ctx, name: string, kind: OrganizationTokenKind, input: CreateToken): Promise<NewToken> => {
      const id = await organizationIdOf(ctx, name, kind)
      const userId = ctx.actor.kind === 'user' ? ctx.actor.userId : undefined
      return d.db.transaction(async (tx) => {
        // two at once: one after the other, so that one token is left
        if ((await lockOrganization(tx, id)) === undefined) throw notFound()
        return tokens.replace(tx, id, kind, userId, input)
      })
    },

    getToken: async (ctx: Ctx, name: string, kind: OrganizationTokenKind): Promise<Token> => {
      const token = await tokens.find(await organizationIdOf(ctx, name, kind), kind)
      if (token === undefined) throw notFound()
      return token
    },

    deleteToken: async (ctx: Ctx, name: string, kind: OrganizationTokenKind): Promise<void> => {
      const id = await organizationIdOf(ctx, name, kind)
      const wasThere = await d.db.transaction((tx) => tokens.remove(tx, id, kind))
      if (!wasThere) throw notFound()
    },
  }
}
