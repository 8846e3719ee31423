import { type Endpoint, type Loaders, empty, endpoint, jsonApi, linkage, many, one, paged } from '../api/index.ts'
import { variableResource, variableType } from '../workspaces/index.ts'
import type { SetsOf } from './list-variable-sets.ts'
import { variableSetResource, variableSetType } from './resource.ts'
import { CreateVariableSet, ListVariableSetsQuery, UpdateVariableSet } from './schemas.ts'
import type { VariableSets } from './variable-sets.ts'
import { setVariableEndpoints } from './variables/endpoints.ts'
import { setVariableResource } from './variables/resource.ts'

const include = ['workspaces', 'projects', 'stacks', 'vars']

export const variableSetEndpoints = (sets: VariableSets): Endpoint[] => [
  endpoint({
    method: 'POST',
    path: 'organizations/:id/varsets',
    auth: 'token',
    body: jsonApi(CreateVariableSet, { type: 'varsets' }),
    include,
    status: 201,
    answer: { one: variableSetType },
    handle: async (ctx, { params, body }) => one(variableSetResource(await sets.createVariableSet(ctx, params.id, body))),
  }),
  listEndpoint(sets, 'organizations/:id/varsets', (organization) => ({ organization })),
  listEndpoint(sets, 'projects/:id/varsets', (project) => ({ project })),
  listEndpoint(sets, 'workspaces/:id/varsets', (workspace) => ({ workspace })),
  endpoint({
    method: 'GET',
    path: 'varsets/:id',
    auth: 'token',
    include,
    status: 200,
    answer: { one: variableSetType },
    handle: async (ctx, { params }) => one(variableSetResource(await sets.getVariableSet(ctx, params.id))),
  }),
  ...(['PATCH', 'PUT'] as const).map((method) =>
    endpoint({
      method,
      path: 'varsets/:id',
      auth: 'token',
      body: jsonApi(UpdateVariableSet, { type: 'varsets', optional: true }),
      include,
      status: 200,
      answer: { one: variableSetType },
      handle: async (ctx, { params, body }) => one(variableSetResource(await sets.updateVariableSet(ctx, params.id, body))),
    }),
  ),
  endpoint({
    method: 'DELETE',
    path: 'varsets/:id',
    auth: 'token',
    status: 204,
    handle: async (ctx, { params }) => {
      await sets.deleteVariableSet(ctx, params.id)
      return empty()
    },
  }),
  ...(['workspaces', 'projects'] as const).flatMap((target) => [
    endpoint({
      method: 'POST',
      path: `varsets/:id/relationships/${target}`,
      auth: 'token',
      body: linkage(target),
      status: 204,
      handle: async (ctx, { params, body }) => {
        await sets.addSetTargets(ctx, params.id, target, body)
        return empty()
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `varsets/:id/relationships/${target}`,
      auth: 'token',
      body: linkage(target),
      status: 204,
      handle: async (ctx, { params, body }) => {
        await sets.removeSetTargets(ctx, params.id, target, body)
        return empty()
      },
    }),
  ]),
  ...setVariableEndpoints(sets),
  endpoint({
    method: 'GET',
    path: 'workspaces/:id/all-vars',
    auth: 'token',
    status: 200,
    answer: { many: variableType },
    handle: async (ctx, { params }) =>
      many(
        (await sets.listAllVariables(ctx, params.id)).map((variable) =>
          'workspaceId' in variable ? variableResource(variable) : setVariableResource(variable),
        ),
      ),
  }),
]

const listEndpoint = (sets: VariableSets, path: string, of: (id: string) => SetsOf): Endpoint =>
  endpoint({
    method: 'GET',
    path,
    auth: 'token',
    query: ListVariableSetsQuery,
    include,
    status: 200,
    answer: { paged: variableSetType },
    handle: async (ctx, { params, query, page }) => {
      // safe because each of the paths has this parameter
      const { id = '' } = params as { id?: string }
      const { items, total } = await sets.listVariableSets(ctx, of(id), query.q, page)
      return paged(items.map(variableSetResource), total)
    },
  })

export const variableSetLoaders = (sets: VariableSets): Loaders => ({
  vars: async (ctx, ids) => (await sets.loadSetVariables(ctx, ids)).map(setVariableResource),
})
