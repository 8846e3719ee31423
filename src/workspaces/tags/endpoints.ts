import { z } from 'zod'
import { empty, endpoint, linkage, many, paged, type Endpoint } from '../../api/index.ts'
import { effectiveTagBindingType, tagBindingResource, tagBindingType } from '../../organizations/index.ts'
import type { Workspaces } from '../workspaces.ts'
import { effectiveBindingResource, tagResource, tagType } from './resource.ts'

const tags = linkage('tags', z.object({ name: z.string().optional() }))
const bindings = linkage('tag-bindings', z.object({ key: z.string().optional(), value: z.string().nullish() }))

export const tagEndpoints = (
  workspaces: Pick<Workspaces, 'listTags' | 'addTags' | 'removeTags' | 'listTagBindings' | 'listEffectiveTagBindings' | 'addTagBindings'>,
): Endpoint[] => [
  endpoint({
    method: 'GET',
    path: 'workspaces/:id/relationships/tags',
    auth: 'token',
    query: z.object({ name: z.string().max(255).optional() }),
    status: 200,
    answer: { paged: tagType },
    handle: async (ctx, { params, query, page }) => {
      const { items, total } = await workspaces.listTags(ctx, params.id, query.name, page)
      return paged(items.map(tagResource), total)
    },
  }),
  endpoint({
    method: 'POST',
    path: 'workspaces/:id/relationships/tags',
    auth: 'token',
    body: tags,
    status: 204,
    handle: async (ctx, { params, body }) => {
      await workspaces.addTags(ctx, params.id, body)
      return empty()
    },
  }),
  endpoint({
    method: 'DELETE',
    path: 'workspaces/:id/relationships/tags',
    auth: 'token',
    body: tags,
    status: 204,
    handle: async (ctx, { params, body }) => {
      await workspaces.removeTags(ctx, params.id, body)
      return empty()
    },
  }),
  endpoint({
    method: 'GET',
    path: 'workspaces/:id/tag-bindings',
    auth: 'token',
    status: 200,
    answer: { many: tagBindingType },
    handle: async (ctx, { params }) => many((await workspaces.listTagBindings(ctx, params.id)).map(tagBindingResource)),
  }),
  endpoint({
    method: 'PATCH',
    path: 'workspaces/:id/tag-bindings',
    auth: 'token',
    body: bindings,
    status: 200,
    answer: { many: tagBindingType },
    handle: async (ctx, { params, body }) => many((await workspaces.addTagBindings(ctx, params.id, body)).map(tagBindingResource)),
  }),
  endpoint({
    method: 'GET',
    path: 'workspaces/:id/effective-tag-bindings',
    auth: 'token',
    status: 200,
    answer: { many: effectiveTagBindingType },
    handle: async (ctx, { params }) => many((await workspaces.listEffectiveTagBindings(ctx, params.id)).map(effectiveBindingResource)),
  }),
]
