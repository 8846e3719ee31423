import type { Ctx } from '../platform/context.ts'
import type { OrganizationDeps } from './deps.ts'
import type { GetOrganization } from './get-organization.ts'
import type { PermissionsOf } from './permissions/authorize.ts'
import { type ProjectFilter, listProjectsById, listProjectsOfOrganization } from './project-queries.ts'
import { type Project, toProject } from './project.ts'

export type ProjectPage = {
  items: Project[]
  /** All of the organization. */ total: number
  /** Those that pass the filter. */ matching: number
}

/** By name unless sorted otherwise. */
export const listProjects =
  (d: OrganizationDeps, get: GetOrganization) =>
  async (ctx: Ctx, organizationName: string, filter: ProjectFilter, page: { size: number; offset: number }): Promise<ProjectPage> => {
    const { id } = await get(ctx, organizationName, 'project:read')
    const { items, total, matching } = await listProjectsOfOrganization(d.db, id, filter, page)
    return { items: items.map(toProject), total, matching }
  }

/** Those of the ids that exist and that the actor may read. */
export const readableProjects =
  (d: OrganizationDeps, permissionsOf: PermissionsOf) =>
  async (ctx: Ctx, ids: readonly string[]): Promise<Project[]> => {
    const projects = (await listProjectsById(d.db, ids)).map(toProject)
    const readable: Project[] = []
    for (const project of projects) {
      if ((await permissionsOf(ctx, project.organizationId)).has('project:read')) readable.push(project)
    }
    return readable
  }
