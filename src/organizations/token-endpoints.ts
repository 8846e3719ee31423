import { z } from 'zod'
import { CreateToken, type OrganizationTokenKind, tokenResource, tokenType } from '../accounts/index.ts'
import { type Endpoint, empty, endpoint, jsonApi, one } from '../api/index.ts'
import { notFound } from '../platform/errors.ts'
import type { Organizations } from './organizations.ts'

const path = 'organizations/:organization/authentication-token'
const query = z.object({ token: z.string().optional() })

/** Absent means the organization token; kinds that no organization has are not there. */
const kindOf = (token: string | undefined): OrganizationTokenKind => {
  if (token === undefined || token === 'organization') return 'organization'
  if (token === 'audit-trails' || token === 'audit_trails') return 'audit-trails'
  throw notFound()
}

export const tokenEndpoints = (organizations: Organizations): Endpoint[] => [
  endpoint({
    method: 'POST',
    path,
    auth: 'token',
    query,
    body: jsonApi(CreateToken, { type: 'authentication-tokens', optional: true }),
    include: ['created-by'],
    status: 201,
    answer: { one: tokenType },
    handle: async (ctx, { params, query, body }) => {
      const { token, secret } = await organizations.replaceToken(ctx, params.organization, kindOf(query.token), body)
      return one(tokenResource(token, secret))
    },
  }),
  endpoint({
    method: 'GET',
    path,
    auth: 'token',
    query,
    include: ['created-by'],
    status: 200,
    answer: { one: tokenType },
    handle: async (ctx, { params, query }) =>
      one(tokenResource(await organizations.getToken(ctx, params.organization, kindOf(query.token)))),
  }),
  endpoint({
    method: 'DELETE',
    path,
    auth: 'token',
    query,
    status: 204,
    handle: async (ctx, { params, query }) => {
      await organizations.deleteToken(ctx, params.organization, kindOf(query.token))
      return empty()
    },
  }),
]
