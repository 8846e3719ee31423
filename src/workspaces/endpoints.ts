import { consumerEndpoints } from './consumers/endpoints.ts'
import { empty, endpoint, jsonApi, one, paged, type Endpoint } from '../api/index.ts'
import { retentionEndpoints } from '../organizations/index.ts'
import { workspaceIncludes } from './includes.ts'
import { parseTagged } from '../organizations/index.ts'
import { ListWorkspacesQuery } from './list/schemas.ts'
import { lockEndpoints } from './locks/endpoints.ts'
import { organizationTagEndpoints } from './organization-tags/endpoints.ts'
import { workspaceResource } from './resource.ts'
import { workspaceType } from './resource-types.ts'
import { CreateWorkspaceBody, UpdateWorkspaceBody } from './settings/schemas.ts'
import { tagEndpoints } from './tags/endpoints.ts'
import { teamAccessEndpoints } from './team-access/endpoints.ts'
import { variableEndpoints } from './variables/endpoints.ts'
import type { WorkspaceRef } from './workspace.ts'
import type { Workspaces } from './workspaces.ts'

const collection = 'organizations/:organization/workspaces'

export const workspaceEndpoints = (workspaces: Workspaces): Endpoint[] => [
  endpoint({
    method: 'POST',
    path: collection,
    auth: 'token',
    body: jsonApi(CreateWorkspaceBody, { type: 'workspaces' }),
    include: workspaceIncludes,
    status: 201,
    answer: { one: workspaceType },
    handle: async (ctx, { params, body }) => one(workspaceResource(await workspaces.createWorkspace(ctx, params.organization, body))),
  }),
  endpoint({
    method: 'GET',
    path: collection,
    auth: 'token',
    query: ListWorkspacesQuery,
    include: workspaceIncludes,
    status: 200,
    answer: { paged: workspaceType },
    handle: async (ctx, { params, query, page, request }) => {
      const filter = {
        name: query['search[name]'],
        wildcardName: query['search[wildcard-name]'],
        tags: query['search[tags]'],
        excludeTags: query['search[exclude-tags]'],
        projectIds: query['filter[project][id]'],
        currentRunStatuses: query['filter[current-run][status]'],
        tagged: parseTagged(request.url),
      }
      const { items, total } = await workspaces.listWorkspaces(ctx, params.organization, filter, query.sort, page)
      return paged(items.map(workspaceResource), total)
    },
  }),
  ...addressed(workspaces, 'workspaces/:id', ({ id = '' }) => ({ id })),
  ...addressed(workspaces, `${collection}/:name`, ({ organization = '', name = '' }) => ({ organization, name })),
  ...lockEndpoints(workspaces),
  ...tagEndpoints(workspaces),
  ...organizationTagEndpoints(workspaces),
  ...variableEndpoints(workspaces),
  ...consumerEndpoints(workspaces),
  ...teamAccessEndpoints(workspaces),
  ...retentionEndpoints('workspaces', workspaces.retention),
]

/** The same operations under both ways to name a workspace; `readRef` reads the parameters of `path`. */
const addressed = (workspaces: Workspaces, path: string, readRef: (params: Record<string, string>) => WorkspaceRef): Endpoint[] => {
  // safe because the parameters of every path are strings
  const refOf = (params: unknown): WorkspaceRef => readRef(params as Record<string, string>)
  return [
    endpoint({
      method: 'GET',
      path,
      auth: 'token',
      include: workspaceIncludes,
      status: 200,
      answer: { one: workspaceType },
      handle: async (ctx, { params }) => one(workspaceResource(await workspaces.getWorkspace(ctx, refOf(params)))),
    }),
    endpoint({
      method: 'PATCH',
      path,
      auth: 'token',
      body: jsonApi(UpdateWorkspaceBody, { type: 'workspaces', optional: true }),
      include: workspaceIncludes,
      status: 200,
      answer: { one: workspaceType },
      handle: async (ctx, { params, body }) => one(workspaceResource(await workspaces.updateWorkspace(ctx, refOf(params), body))),
    }),
    endpoint({
      method: 'DELETE',
      path,
      auth: 'token',
      status: 204,
      handle: async (ctx, { params }) => {
        await workspaces.deleteWorkspace(ctx, refOf(params))
        return empty()
      },
    }),
    endpoint({
      method: 'POST',
      path: `${path}/actions/safe-delete`,
      auth: 'token',
      status: 204,
      handle: async (ctx, { params }) => {
        await workspaces.safeDeleteWorkspace(ctx, refOf(params))
        return empty()
      },
    }),
  ]
}
