import { z } from 'zod'
import { type Endpoint, endpoint, linkage, many } from '../../api/index.ts'
import type { Organizations } from '../organizations.ts'
import { effectiveTagBindingResource, effectiveTagBindingType, tagBindingResource, tagBindingType } from './resource.ts'

const bindings = linkage('tag-bindings', z.object({ key: z.string().optional(), value: z.string().nullish() }))

/** A project inherits from nothing: its effective bindings are its own. */
export const projectTagEndpoints = (organizations: Pick<Organizations, 'listProjectTagBindings' | 'addProjectTagBindings'>): Endpoint[] => [
  endpoint({
    method: 'GET',
    path: 'projects/:id/tag-bindings',
    auth: 'token',
    status: 200,
    answer: { many: tagBindingType },
    handle: async (ctx, { params }) => many((await organizations.listProjectTagBindings(ctx, params.id)).map(tagBindingResource)),
  }),
  endpoint({
    method: 'PATCH',
    path: 'projects/:id/tag-bindings',
    auth: 'token',
    body: bindings,
    status: 200,
    answer: { many: tagBindingType },
    handle: async (ctx, { params, body }) =>
      many((await organizations.addProjectTagBindings(ctx, params.id, body)).map(tagBindingResource)),
  }),
  endpoint({
    method: 'GET',
    path: 'projects/:id/effective-tag-bindings',
    auth: 'token',
    status: 200,
    answer: { many: effectiveTagBindingType },
    handle: async (ctx, { params }) => many((await organizations.listProjectTagBindings(ctx, params.id)).map(effectiveTagBindingResource)),
  }),
]
