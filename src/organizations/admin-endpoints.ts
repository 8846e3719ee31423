import { z } from 'zod'
import { type Endpoint, empty, endpoint, many } from '../api/index.ts'
import { notFound } from '../platform/errors.ts'
import { isSiteAdmin } from './accept-subscription.ts'
import type { Organizations } from './organizations.ts'
import { featureSetType } from './resource-types.ts'

/**
 * Plans, for clients that insist on choosing one before they use a feature: the tests of go-tfe look up a feature set by its name and
 * subscribe the organization to it. Here all that exists is on for everybody, so there is one feature set, it answers to every
 * name, and a subscription is accepted without effect. For site administrators only.
 */
export const adminEndpoints = (organizations: Organizations): Endpoint[] => [
  endpoint({
    method: 'GET',
    path: 'admin/feature-sets',
    auth: 'token',
    query: z.object({ q: z.string().optional() }),
    status: 200,
    answer: { many: featureSetType },
    handle: async (ctx) => {
      if (!isSiteAdmin(ctx)) throw notFound()
      return many([featureSetType.of({ id: 'fs-terrane', attributes: { name: 'Terrane' } })])
    },
  }),
  endpoint({
    method: 'POST',
    path: 'admin/organizations/:organization/subscription',
    auth: 'token',
    status: 201,
    handle: async (ctx, { params }) => {
      await organizations.acceptSubscription(ctx, params.organization)
      return empty()
    },
  }),
]
