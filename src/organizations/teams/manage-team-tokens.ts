import type { CreateToken, NewToken, Token } from '../../accounts/index.ts'
import type { Ctx } from '../../platform/context.ts'
import type { PageRequest } from '../../platform/db/paginate.ts'
import { notFound } from '../../platform/errors.ts'
import type { OrganizationDeps } from '../deps.ts'
import type { GetOrganization } from '../get-organization.ts'
import type { PermissionsOf } from '../permissions/authorize.ts'
import { listTeamTokenPage, listTeamsById, lockTeam } from './queries.ts'
import type { TeamTokenSort } from './schemas.ts'
import { findVisibleTeam, mayManageTokens, teamRights } from './team-rights.ts'

/** For whoever may change the team, and for its members where the team allows it. NOT_FOUND for others. */
export const manageTeamTokens = (d: OrganizationDeps, get: GetOrganization, permissionsOf: PermissionsOf) => {
  const tokens = d.accounts.teamTokens
  const authorizeTeamTokens = async (ctx: Ctx, teamId: string): Promise<void> => {
    const { team, rights } = await findVisibleTeam(permissionsOf, ctx, d.db, teamId)
    if (!mayManageTokens(rights, team)) throw notFound()
  }

  return {
    authorizeTeamTokens,

    /** Without a description it ends the former one without; INVALID for a description that is taken. */
    createTeamToken: async (ctx: Ctx, teamId: string, input: CreateToken): Promise<NewToken> => {
      await authorizeTeamTokens(ctx, teamId)
      return d.db.transaction(async (tx) => {
        // two at once: one after the other, so that one token is left
        const team = await lockTeam(tx, teamId)
        if (team === undefined) throw notFound()
        return tokens.create(tx, team, ctx.actor.kind === 'user' ? ctx.actor.userId : undefined, input)
      })
    },

    /** The one without description. */
    getTeamToken: async (ctx: Ctx, teamId: string): Promise<Token> => {
      await authorizeTeamTokens(ctx, teamId)
      const token = await tokens.find(teamId)
      if (token === undefined) throw notFound()
      return token
    },

    deleteTeamToken: async (ctx: Ctx, teamId: string): Promise<void> => {
      await authorizeTeamTokens(ctx, teamId)
      if (!(await d.db.transaction((tx) => tokens.remove(tx, teamId)))) throw notFound()
    },

    /** Of the teams whose tokens the actor may manage. */
    listTeamTokens: async (
      ctx: Ctx,
      organizationName: string,
      { q, sort }: { q: string | undefined; sort: TeamTokenSort },
      page: PageRequest,
    ): Promise<{ items: Token[]; total: number }> => {
      const { id } = await get(ctx, organizationName)
      const rights = await teamRights(permissionsOf, ctx, d.db, id)
      const managesAll = rights.held.has('team:write') && rights.held.has('team:secret') && rights.held.has('organization:tokens')
      const own = managesAll ? [] : (await listTeamsById(d.db, rights.own)).filter((team) => mayManageTokens(rights, team))
      const teamIds = managesAll ? 'all' : own.map((team) => team.id)
      const { items, total } = await listTeamTokenPage(d.db, id, { teamIds, q, sort }, page)
      return { items: items.map(({ secretHash: _secretHash, ...token }) => token), total }
    },
  }
}
