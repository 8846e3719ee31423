import { empty, endpoint, jsonApi, many, one, type Endpoint } from '../../api/index.ts'
import type { Workspaces } from '../workspaces.ts'
import { variableResource, variableType } from './resource.ts'
import { CreateVariable, UpdateVariable } from './schemas.ts'

export const variableEndpoints = (
  workspaces: Pick<Workspaces, 'listVariables' | 'createVariable' | 'getVariable' | 'updateVariable' | 'deleteVariable'>,
): Endpoint[] => [
  endpoint({
    method: 'GET',
    path: 'workspaces/:id/vars',
    auth: 'token',
    status: 200,
    answer: { many: variableType },
    handle: async (ctx, { params }) => many((await workspaces.listVariables(ctx, params.id)).map(variableResource)),
  }),
  endpoint({
    method: 'POST',
    path: 'workspaces/:id/vars',
    auth: 'token',
    body: jsonApi(CreateVariable, { type: 'vars' }),
    status: 201,
    answer: { one: variableType },
    handle: async (ctx, { params, body }) => one(variableResource(await workspaces.createVariable(ctx, params.id, body))),
  }),
  endpoint({
    method: 'GET',
    path: 'workspaces/:id/vars/:variable',
    auth: 'token',
    status: 200,
    answer: { one: variableType },
    handle: async (ctx, { params }) => one(variableResource(await workspaces.getVariable(ctx, params.id, params.variable))),
  }),
  endpoint({
    method: 'PATCH',
    path: 'workspaces/:id/vars/:variable',
    auth: 'token',
    body: jsonApi(UpdateVariable, { type: 'vars', optional: true }),
    status: 200,
    answer: { one: variableType },
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
