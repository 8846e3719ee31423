import { type Endpoint, empty, endpoint, jsonApi, many, one, paged } from '../../api/index.ts'
import type { Workspaces } from '../workspaces.ts'
import { teamAccessResource, teamAccessType } from './resource.ts'
import { AddTeamAccess, ListTeamAccessQuery, UpdateTeamAccess } from './schemas.ts'

type Verbs = Pick<Workspaces, 'addTeamAccess' | 'getTeamAccess' | 'listTeamAccess' | 'updateTeamAccess' | 'removeTeamAccess'>

const include = ['team', 'workspace']

export const teamAccessEndpoints = (workspaces: Verbs): Endpoint[] => [
  endpoint({
    method: 'POST',
    path: 'team-workspaces',
    auth: 'token',
    body: jsonApi(AddTeamAccess, { type: 'team-workspaces' }),
    include,
    status: 201,
    answer: { one: teamAccessType },
    handle: async (ctx, { body }) => one(teamAccessResource(await workspaces.addTeamAccess(ctx, body))),
  }),
  endpoint({
    method: 'GET',
    path: 'team-workspaces',
    auth: 'token',
    query: ListTeamAccessQuery,
    include,
    status: 200,
    answer: { many: teamAccessType, isPagedWhenAsked: true },
    handle: async (ctx, { query, page }) => {
      const asked = page.requested ? page : undefined
      const { items, total } = await workspaces.listTeamAccess(ctx, query['filter[workspace][id]'], asked)
      const resources = items.map(teamAccessResource)
      return page.requested ? paged(resources, total) : many(resources)
    },
  }),
  endpoint({
    method: 'GET',
    path: 'team-workspaces/:id',
    auth: 'token',
    include,
    status: 200,
    answer: { one: teamAccessType },
    handle: async (ctx, { params }) => one(teamAccessResource(await workspaces.getTeamAccess(ctx, params.id))),
  }),
  endpoint({
    method: 'PATCH',
    path: 'team-workspaces/:id',
    auth: 'token',
    body: jsonApi(UpdateTeamAccess, { type: 'team-workspaces', optional: true }),
    include,
    status: 200,
    answer: { one: teamAccessType },
    handle: async (ctx, { params, body }) => one(teamAccessResource(await workspaces.updateTeamAccess(ctx, params.id, body))),
  }),
  endpoint({
    method: 'DELETE',
    path: 'team-workspaces/:id',
    auth: 'token',
    status: 204,
    handle: async (ctx, { params }) => {
      await workspaces.removeTeamAccess(ctx, params.id)
      return empty()
    },
  }),
]
