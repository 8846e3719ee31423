import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { PageRequest } from '../../platform/db/paginate.ts'
import type { OrganizationDeps } from '../deps.ts'
import type { GetOrganization } from '../get-organization.ts'
import type { PermissionsOf } from '../permissions/authorize.ts'
import { loadTeamViews } from './load-team-views.ts'
import type { OrganizationReader } from '../queries.ts'
import { findTeam, listTeamPage, listTeamsById } from './queries.ts'
import { findVisibleTeam, maySee, teamRights } from './team-rights.ts'
import type { TeamRow, TeamView } from './team.ts'

/** Teams as the actor may see them: secret ones are for their members and for whoever may see all. */
export const readTeams = (d: OrganizationDeps, get: GetOrganization, permissionsOf: PermissionsOf) => ({
  getTeam: async (ctx: Ctx, id: string): Promise<TeamView> => {
    const { team, rights } = await findVisibleTeam(permissionsOf, ctx, d.db, id)
    const [view] = await loadTeamViews(d.db, rights, [team])
    if (view === undefined) throw notFound()
    return view
  },

  /** By name. */
  listTeams: async (
    ctx: Ctx,
    organizationName: string,
    filter: { q?: string | undefined; names?: readonly string[] | undefined },
    page: PageRequest,
  ): Promise<{ items: TeamView[]; total: number }> => {
    const { id } = await get(ctx, organizationName)
    const rights = await teamRights(permissionsOf, ctx, d.db, id)
    const visible = rights.held.has('team:secret') ? 'all' : { own: rights.own }
    const { items, total } = await listTeamPage(d.db, id, { ...filter, visible }, page)
    return { items: await loadTeamViews(d.db, rights, items), total }
  },

  /** Those of the ids that exist and that the actor may see. */
  readableTeams: async (ctx: Ctx, ids: readonly string[]): Promise<TeamView[]> => {
    const views: TeamView[] = []
    for (const team of await listTeamsById(d.db, ids)) {
      if (!(await permissionsOf(ctx, team.organizationId)).has('organization:read')) continue
      const rights = await teamRights(permissionsOf, ctx, d.db, team.organizationId)
      if (maySee(rights, team)) views.push(...(await loadTeamViews(d.db, rights, [team])))
    }
    return views
  },

  /** Whether it is a team of the organization that the actor may see: for slices above. Inside a transaction pass the `tx`. */
  seesTeam: async (ctx: Ctx, reader: OrganizationReader, teamId: string, organizationId: string): Promise<boolean> => {
    const team = await findTeam(reader, teamId)
    if (team?.organizationId !== organizationId) return false
    return maySee(await teamRights(permissionsOf, ctx, reader, organizationId), team)
  },

  /** Without a check: for slices that have authorized already. */
  findTeamById: (id: string): Promise<TeamRow | undefined> => findTeam(d.db, id),
})
