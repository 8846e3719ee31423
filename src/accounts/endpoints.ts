import { type Endpoint, type Loaders, empty, endpoint, jsonApi, many, one } from '../api/index.ts'
import type { Accounts } from './accounts.ts'
import { accountResource, tokenResource, userResource } from './resource.ts'
import { accountType, tokenType, userType } from './resource-types.ts'
import { CreateToken, UpdateUser } from './schemas.ts'

export const accountEndpoints = (accounts: Accounts): Endpoint[] => [
  endpoint({
    method: 'GET',
    path: 'account/details',
    auth: 'token',
    status: 200,
    answer: { one: accountType },
    handle: async (ctx) => one(accountResource(await accounts.getCurrentAccount(ctx))),
  }),
  endpoint({
    method: 'PATCH',
    path: 'account/update',
    auth: 'token',
    body: jsonApi(UpdateUser, { type: 'users', optional: true }),
    status: 200,
    answer: { one: accountType },
    handle: async (ctx, { body }) => one(accountResource({ kind: 'user', user: await accounts.updateCurrentUser(ctx, body) })),
  }),
  endpoint({
    method: 'GET',
    path: 'users/:id',
    auth: 'token',
    status: 200,
    answer: { one: userType },
    handle: async (ctx, { params }) => one(userResource(await accounts.getUser(ctx, params.id))),
  }),
  endpoint({
    method: 'POST',
    path: 'users/:id/authentication-tokens',
    auth: 'token',
    body: jsonApi(CreateToken, { type: 'authentication-tokens', optional: true }),
    include: ['created-by'],
    status: 201,
    answer: { one: tokenType },
    handle: async (ctx, { params, body }) => {
      const { token, secret } = await accounts.createUserToken(ctx, params.id, body)
      return one(tokenResource(token, secret))
    },
  }),
  endpoint({
    method: 'GET',
    path: 'users/:id/authentication-tokens',
    auth: 'token',
    include: ['created-by'],
    status: 200,
    answer: { many: tokenType },
    handle: async (ctx, { params }) => many((await accounts.listUserTokens(ctx, params.id)).map((token) => tokenResource(token))),
  }),
  endpoint({
    method: 'GET',
    path: 'authentication-tokens/:id',
    auth: 'token',
    include: ['created-by'],
    status: 200,
    answer: { one: tokenType },
    handle: async (ctx, { params }) => one(tokenResource(await accounts.getToken(ctx, params.id))),
  }),
  endpoint({
    method: 'DELETE',
    path: 'authentication-tokens/:id',
    auth: 'token',
    status: 204,
    handle: async (ctx, { params }) => {
      await accounts.deleteToken(ctx, params.id)
      return empty()
    },
  }),
]

export const accountLoaders = (accounts: Accounts): Loaders => ({
  users: async (_ctx, ids) => (await accounts.listUsers(ids)).map(userResource),
})
