import { z } from 'zod'
import { type Endpoint, commaList, empty, endpoint, jsonApi, one, paged } from '../api/index.ts'
import type { Ctx } from '../platform/context.ts'
import type { Organizations } from './organizations.ts'
import type { Project } from './project.ts'
import { projectsAsResources } from './projects-as-resources.ts'
import { projectType } from './resource-types.ts'
import { CreateProject, UpdateProject } from './schemas.ts'
import { parseTagged } from './tags/parse-tagged.ts'

const ListQuery = z.object({ q: z.string().optional(), 'filter[names]': commaList.optional(), sort: z.enum(['name', '-name']).optional() })

const include = ['organization', 'tag-bindings', 'effective-tag-bindings']

const statusCounts = z.object({ 'status-counts': z.object({ total: z.int(), matching: z.int() }) })

export const projectEndpoints = (organizations: Organizations): Endpoint[] => {
  const rendered = async (ctx: Ctx, project: Project) => {
    const [only] = await projectsAsResources(organizations, ctx, [project])
    return one(only ?? null)
  }

  return [
    endpoint({
      method: 'GET',
      path: 'organizations/:organization/projects',
      auth: 'token',
      query: ListQuery,
      include,
      status: 200,
      answer: { paged: projectType, meta: statusCounts },
      handle: async (ctx, { params, query, page, request }) => {
        const filter = { names: query['filter[names]'], q: query.q, sort: query.sort, tagged: parseTagged(request.url) }
        const { items, total, matching } = await organizations.listProjects(ctx, params.organization, filter, page)
        return paged(await projectsAsResources(organizations, ctx, items), matching, { meta: { 'status-counts': { total, matching } } })
      },
    }),
    endpoint({
      method: 'POST',
      path: 'organizations/:organization/projects',
      auth: 'token',
      body: jsonApi(CreateProject, { type: 'projects' }),
      include,
      status: 201,
      answer: { one: projectType },
      handle: async (ctx, { params, body }) => rendered(ctx, await organizations.createProject(ctx, params.organization, body)),
    }),
    endpoint({
      method: 'GET',
      path: 'projects/:id',
      auth: 'token',
      include,
      status: 200,
      answer: { one: projectType },
      handle: async (ctx, { params }) => rendered(ctx, await organizations.getProject(ctx, params.id)),
    }),
    endpoint({
      method: 'PATCH',
      path: 'projects/:id',
      auth: 'token',
      body: jsonApi(UpdateProject, { type: 'projects', optional: true }),
      include,
      status: 200,
      answer: { one: projectType },
      handle: async (ctx, { params, body }) => rendered(ctx, await organizations.updateProject(ctx, params.id, body)),
    }),
    endpoint({
      method: 'DELETE',
      path: 'projects/:id',
      auth: 'token',
      status: 204,
      handle: async (ctx, { params }) => {
        await organizations.deleteProject(ctx, params.id)
        return empty()
      },
    }),
  ]
}
