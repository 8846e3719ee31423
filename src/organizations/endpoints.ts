import { z } from 'zod'
import { type Endpoint, type Loaders, empty, endpoint, jsonApi, many, one, paged } from '../api/index.ts'
import type { Ctx } from '../platform/context.ts'
import { adminEndpoints } from './admin-endpoints.ts'
import { capacityResource, entitlementSetResource, organizationResource } from './organization-resource.ts'
import type { Organization } from './organization.ts'
import type { Organizations } from './organizations.ts'
import { projectEndpoints } from './project-endpoints.ts'
import { projectsAsResources } from './projects-as-resources.ts'
import { retentionEndpoints } from './retention/retention-endpoints.ts'
import { capacityType, entitlementSetType, organizationType } from './resource-types.ts'
import { CreateOrganization, UpdateOrganization } from './schemas.ts'
import { projectTagEndpoints } from './tags/endpoints.ts'
import { bindingOfInherited, effectiveTagBindingResource, inheritedTagBindingResource, tagBindingResource } from './tags/resource.ts'
import { teamEndpoints } from './teams/endpoints.ts'
import { teamResource } from './teams/resource.ts'
import { tokenEndpoints } from './token-endpoints.ts'

const include = ['default-project', 'entitlement-set']

export const organizationEndpoints = (organizations: Organizations): Endpoint[] => {
  const rendered = async (ctx: Ctx, organization: Organization) =>
    one(organizationResource(organization, await organizations.permissionsOf(ctx, organization.id)))

  return [
    endpoint({
      method: 'GET',
      path: 'organizations',
      auth: 'token',
      query: z.object({ q: z.string().optional() }),
      include,
      status: 200,
      answer: { many: organizationType, isPagedWhenAsked: true },
      handle: async (ctx, { query, page }) => {
        const { items, total } = await organizations.listOrganizations(ctx, { q: query.q, page: page.requested ? page : undefined })
        const resources = items.map(({ organization, permissions }) => organizationResource(organization, permissions))
        return page.requested ? paged(resources, total) : many(resources)
      },
    }),
    endpoint({
      method: 'POST',
      path: 'organizations',
      auth: 'token',
      body: jsonApi(CreateOrganization, { type: 'organizations' }),
      include,
      status: 201,
      answer: { one: organizationType },
      handle: async (ctx, { body }) => rendered(ctx, await organizations.createOrganization(ctx, body)),
    }),
    endpoint({
      method: 'GET',
      path: 'organizations/:organization',
      auth: 'token',
      include,
      status: 200,
      answer: { one: organizationType },
      handle: async (ctx, { params }) => rendered(ctx, await organizations.getOrganization(ctx, params.organization)),
    }),
    endpoint({
      method: 'PATCH',
      path: 'organizations/:organization',
      auth: 'token',
      body: jsonApi(UpdateOrganization, { type: 'organizations', optional: true }),
      include,
      status: 200,
      answer: { one: organizationType },
      handle: async (ctx, { params, body }) => rendered(ctx, await organizations.updateOrganization(ctx, params.organization, body)),
    }),
    endpoint({
      method: 'DELETE',
      path: 'organizations/:organization',
      auth: 'token',
      status: 204,
      handle: async (ctx, { params }) => {
        await organizations.deleteOrganization(ctx, params.organization)
        return empty()
      },
    }),
    endpoint({
      method: 'GET',
      path: 'organizations/:organization/entitlement-set',
      auth: 'token',
      status: 200,
      answer: { one: entitlementSetType },
      handle: async (ctx, { params }) => one(entitlementSetResource((await organizations.getOrganization(ctx, params.organization)).id)),
    }),
    endpoint({
      method: 'GET',
      path: 'organizations/:organization/capacity',
      auth: 'token',
      status: 200,
      answer: { one: capacityType },
      handle: async (ctx, { params }) => one(capacityResource(await organizations.getCapacity(ctx, params.organization))),
    }),
    endpoint({
      method: 'GET',
      path: 'entitlement-sets/:id',
      auth: 'token',
      status: 200,
      answer: { one: entitlementSetType },
      handle: async (ctx, { params }) => {
        await organizations.authorize(ctx, 'organization:read', { organizationId: params.id })
        return one(entitlementSetResource(params.id))
      },
    }),
    ...retentionEndpoints('organizations', organizations.retention),
    ...tokenEndpoints(organizations),
    ...teamEndpoints(organizations.teams),
    ...projectEndpoints(organizations),
    ...projectTagEndpoints(organizations),
    ...adminEndpoints(organizations),
  ]
}

export const organizationLoaders = (organizations: Organizations): Loaders => ({
  organizations: async (ctx, names) =>
    (await organizations.readableOrganizations(ctx, names)).map(({ organization, permissions }) =>
      organizationResource(organization, permissions),
    ),
  projects: async (ctx, ids) => projectsAsResources(organizations, ctx, await organizations.readableProjects(ctx, ids)),
  'tag-bindings': async (ctx, ids) => (await organizations.readableProjectBindings(ctx, ids)).map(tagBindingResource),
  'effective-tag-bindings': async (ctx, ids) => [
    ...(await organizations.readableProjectBindings(ctx, ids)).map(effectiveTagBindingResource),
    ...(await organizations.readableProjectBindings(ctx, ids.map(bindingOfInherited))).map(inheritedTagBindingResource),
  ],
  teams: async (ctx, ids) => (await organizations.teams.readableTeams(ctx, ids)).map(teamResource),
  'entitlement-sets': async (ctx, ids) => {
    const held = await Promise.all(ids.map((id) => organizations.permissionsOf(ctx, id)))
    return ids.filter((_, at) => held[at]?.has('organization:read')).map(entitlementSetResource)
  },
})
