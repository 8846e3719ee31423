import { empty, endpoint, linkage, paged, type Endpoint } from '../../api/index.ts'
import { workspaceResource } from '../resource.ts'
import { workspaceType } from '../resource-types.ts'
import type { Workspaces } from '../workspaces.ts'

const path = 'workspaces/:id/relationships/remote-state-consumers'
const changes = { POST: 'add', DELETE: 'remove', PATCH: 'replace' } as const

export const consumerEndpoints = (workspaces: Pick<Workspaces, 'listConsumers' | 'changeConsumers'>): Endpoint[] => [
  endpoint({
    method: 'GET',
    path,
    auth: 'token',
    status: 200,
    answer: { paged: workspaceType },
    handle: async (ctx, { params, page }) => {
      const { items, total } = await workspaces.listConsumers(ctx, params.id, page)
      return paged(items.map(workspaceResource), total)
    },
  }),
  ...(['POST', 'DELETE', 'PATCH'] as const).map((method) =>
    endpoint({
      method,
      path,
      auth: 'token',
      body: linkage('workspaces'),
      status: 204,
      handle: async (ctx, { params, body }) => {
        await workspaces.changeConsumers(ctx, params.id, changes[method], body)
        return empty()
      },
    }),
  ),
]
