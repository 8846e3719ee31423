import { CreateToken, tokenResource, tokenType } from '../../accounts/index.ts'
import { type Endpoint, empty, endpoint, jsonApi, one, paged } from '../../api/index.ts'
import { ListTeamTokensQuery } from './schemas.ts'
import type { Teams } from './teams.ts'

const path = 'teams/:id/authentication-token'
const include = ['created-by', 'team']

export const teamTokenEndpoints = (teams: Teams): Endpoint[] => [
  // the older address makes the one token without description, the newer one any number with different ones
  ...([path, 'teams/:id/authentication-tokens'] as const).map((address) =>
    endpoint({
      method: 'POST',
      path: address,
      auth: 'token',
      body: jsonApi(CreateToken, { type: 'authentication-tokens', optional: true }),
      include,
      status: 201,
      answer: { one: tokenType },
      handle: async (ctx, { params, body }) => {
        const { token, secret } = await teams.createTeamToken(ctx, params.id, body)
        return one(tokenResource(token, secret))
      },
    }),
  ),
  endpoint({
    method: 'GET',
    path,
    auth: 'token',
    include,
    status: 200,
    answer: { one: tokenType },
    handle: async (ctx, { params }) => one(tokenResource(await teams.getTeamToken(ctx, params.id))),
  }),
  endpoint({
    method: 'DELETE',
    path,
    auth: 'token',
    status: 204,
    handle: async (ctx, { params }) => {
      await teams.deleteTeamToken(ctx, params.id)
      return empty()
    },
  }),
  endpoint({
    method: 'GET',
    path: 'organizations/:organization/team-tokens',
    auth: 'token',
    query: ListTeamTokensQuery,
    include,
    status: 200,
    answer: { paged: tokenType },
    handle: async (ctx, { params, query, page }) => {
      const { items, total } = await teams.listTeamTokens(ctx, params.organization, { q: query.q, sort: query.sort }, page)
      return paged(
        items.map((token) => tokenResource(token)),
        total,
      )
    },
  }),
]
