import { type Endpoint, empty, endpoint, jsonApi, linkage, one, paged } from '../../api/index.ts'
import { teamResource, teamType } from './resource.ts'
import { CreateTeam, ListTeamsQuery, UpdateTeam } from './schemas.ts'
import type { Teams } from './teams.ts'
import { teamTokenEndpoints } from './token-endpoints.ts'

const include = ['users']

export const teamEndpoints = (teams: Teams): Endpoint[] => [
  endpoint({
    method: 'POST',
    path: 'organizations/:organization/teams',
    auth: 'token',
    body: jsonApi(CreateTeam, { type: 'teams' }),
    include,
    status: 201,
    answer: { one: teamType },
    handle: async (ctx, { params, body }) => one(teamResource(await teams.createTeam(ctx, params.organization, body))),
  }),
  endpoint({
    method: 'GET',
    path: 'organizations/:organization/teams',
    auth: 'token',
    query: ListTeamsQuery,
    include,
    status: 200,
    answer: { paged: teamType },
    handle: async (ctx, { params, query, page }) => {
      const { items, total } = await teams.listTeams(ctx, params.organization, { q: query.q, names: query['filter[names]'] }, page)
      return paged(items.map(teamResource), total)
    },
  }),
  endpoint({
    method: 'GET',
    path: 'teams/:id',
    auth: 'token',
    include,
    status: 200,
    answer: { one: teamType },
    handle: async (ctx, { params }) => one(teamResource(await teams.getTeam(ctx, params.id))),
  }),
  endpoint({
    method: 'PATCH',
    path: 'teams/:id',
    auth: 'token',
    body: jsonApi(UpdateTeam, { type: 'teams', optional: true }),
    include,
    status: 200,
    answer: { one: teamType },
    handle: async (ctx, { params, body }) => one(teamResource(await teams.updateTeam(ctx, params.id, body))),
  }),
  endpoint({
    method: 'DELETE',
    path: 'teams/:id',
    auth: 'token',
    status: 204,
    handle: async (ctx, { params }) => {
      await teams.deleteTeam(ctx, params.id)
      return empty()
    },
  }),
  ...(['users', 'organization-memberships'] as const).flatMap((by) => {
    const named = (ids: string[]) => (by === 'users' ? { usernames: ids } : { membershipIds: ids })
    return [
      endpoint({
        method: 'POST',
        path: `teams/:id/relationships/${by}`,
        auth: 'token',
        body: linkage(by),
        status: 204,
        handle: async (ctx, { params, body }) => {
          await teams.addTeamMembers(ctx, params.id, named(body))
          return empty()
        },
      }),
      endpoint({
        method: 'DELETE',
        path: `teams/:id/relationships/${by}`,
        auth: 'token',
        body: linkage(by),
        status: 204,
        handle: async (ctx, { params, body }) => {
          await teams.removeTeamMembers(ctx, params.id, named(body))
          return empty()
        },
      }),
    ]
  }),
  ...teamTokenEndpoints(teams),
]
