import { z } from 'zod'
import { type Endpoint, empty, endpoint, linkOne, linkage, paged, resourceType } from '../../api/index.ts'
import type { Workspaces } from '../workspaces.ts'
import type { CountedTag } from './queries.ts'

const path = 'organizations/:organization/tags'

const countedTagType = resourceType('tags', {
  schemaName: 'counted-tag',
  attributes: z.object({ name: z.string(), 'instance-count': z.int() }),
  relationships: { organization: { one: 'organizations' } },
})

export const organizationTagEndpoints = (
  workspaces: Pick<Workspaces, 'listOrganizationTags' | 'deleteOrganizationTags' | 'addTagToWorkspaces'>,
): Endpoint[] => [
  endpoint({
    method: 'GET',
    path,
    auth: 'token',
    query: z.object({ q: z.string().max(255).optional(), 'filter[exclude][taggable][id]': z.string().max(100).optional() }),
    status: 200,
    answer: { paged: countedTagType },
    handle: async (ctx, { params, query, page }) => {
      const filter = { name: query.q, notOfWorkspace: query['filter[exclude][taggable][id]'] }
      const { organizationName, items, total } = await workspaces.listOrganizationTags(ctx, params.organization, filter, page)
      return paged(
        items.map((tag) => countedTagResource(tag, organizationName)),
        total,
      )
    },
  }),
  endpoint({
    method: 'DELETE',
    path,
    auth: 'token',
    body: linkage('tags'),
    status: 204,
    handle: async (ctx, { params, body }) => {
      await workspaces.deleteOrganizationTags(ctx, params.organization, body)
      return empty()
    },
  }),
  endpoint({
    method: 'POST',
    path: 'tags/:id/relationships/workspaces',
    auth: 'token',
    body: linkage('workspaces'),
    status: 204,
    handle: async (ctx, { params, body }) => {
      await workspaces.addTagToWorkspaces(ctx, params.id, body)
      return empty()
    },
  }),
]

const countedTagResource = ({ id, name, workspaces }: CountedTag, organizationName: string) =>
  countedTagType.of({
    id,
    attributes: { name, 'instance-count': workspaces },
    relationships: { organization: linkOne('organizations', organizationName) },
  })
