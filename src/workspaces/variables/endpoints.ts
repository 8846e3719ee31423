import { empty, endpoint, jsonApi, many, one, type Endpoint } from '../../api/index.ts'
import type { Workspaces } from '../workspaces.ts'
import { variableResource } from './resource.ts'
import { CreateVariable, UpdateVariable } from './schemas.ts'

/** `all-vars` will merge variable sets once there are any. */
const listPaths = ['workspaces/:id/vars', 'workspaces/:id/all-vars'] as const

export const variableEndpoints = (
  workspaces: Pick<Workspaces, 'listVariables' | 'createVariable' | 'getVariable' | 'updateVariable' | 'deleteVariable'>,
): Endpoint[] => [
  ...listPaths.map((path) =>
    endpoint({
      method: 'GET',
      path,
      auth: 'token',
      status: 200,
      handle: async (ctx, { params }) => many((await workspaces.listVariables(ctx, params.id)).map(variableResource)),
    }),
  ),
  endpoint({
    method: 'POST',
    path: 'workspaces/:id/vars',
    auth: 'token',
    body: jsonApi(CreateVariable, { type: 'vars' }),
    status: 201,
    handle: async (ctx, { params, body }) => one(variableResource(await workspaces.createVariable(ctx, params.id, body))),
  }),
  endpoint({
    method: 'GET',
    path: 'workspaces/:id/vars/:variable',
    auth: 'token',
    status: 200,
    handle: async (ctx, { params }) => one(variableResource(await workspaces.getVariable(ctx, params.id, params.variable))),
  }),
  endpoint({
    method: 'PATCH',
    path: 'workspaces/:id/vars/:variable',
    auth: 'token',
    body: jsonApi(UpdateVariable, { type: 'vars', optional: true }),
    status: 200,
    handle: async (ctx, { params, body }) => one(variableResource(await workspaces.updateVariable(ctx, params.id, params.variable, body))),
  }),
  endpoint({
    method: 'DELETE',
    path: 'workspaces/:id/vars/:variable',
    auth: 'token',
    status: 204,
    handle: async (ctx, { params }) => {
      await workspaces.deleteVariable(ctx, params.id, params.variable)
      return empty()
    },
  }),
]
