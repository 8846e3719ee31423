import { type Endpoint, empty, endpoint, jsonApi, one, paged } from '../../api/index.ts'
import { CreateVariable, UpdateVariable, variableType } from '../../workspaces/index.ts'
import type { VariableSets } from '../variable-sets.ts'
import { setVariableResource } from './resource.ts'

const path = 'varsets/:id/relationships/vars'

export const setVariableEndpoints = (sets: VariableSets): Endpoint[] => [
  endpoint({
    method: 'GET',
    path,
    auth: 'token',
    status: 200,
    answer: { paged: variableType },
    handle: async (ctx, { params, page }) => {
      const { items, total } = await sets.listVariablesOfSet(ctx, params.id, page)
      return paged(items.map(setVariableResource), total)
    },
  }),
  endpoint({
    method: 'POST',
    path,
    auth: 'token',
    body: jsonApi(CreateVariable, { type: 'vars' }),
    status: 201,
    answer: { one: variableType },
    handle: async (ctx, { params, body }) => one(setVariableResource(await sets.createSetVariable(ctx, params.id, body))),
  }),
  endpoint({
    method: 'GET',
    path: `${path}/:variable`,
    auth: 'token',
    status: 200,
    answer: { one: variableType },
    handle: async (ctx, { params }) => one(setVariableResource(await sets.getSetVariable(ctx, params.id, params.variable))),
  }),
  endpoint({
    method: 'PATCH',
    path: `${path}/:variable`,
    auth: 'token',
    body: jsonApi(UpdateVariable, { type: 'vars', optional: true }),
    status: 200,
    answer: { one: variableType },
    handle: async (ctx, { params, body }) => one(setVariableResource(await sets.updateSetVariable(ctx, params.id, params.variable, body))),
  }),
  endpoint({
    method: 'DELETE',
    path: `${path}/:variable`,
    auth: 'token',
    status: 204,
    handle: async (ctx, { params }) => {
      await sets.deleteSetVariable(ctx, params.id, params.variable)
      return empty()
    },
  }),
]
