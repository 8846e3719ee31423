import type { Ctx } from '../platform/context.ts'
import type { OrganizationDeps } from './deps.ts'
import type { GetOrganization } from './get-organization.ts'
import type { PermissionsOf, WorkspaceGrants } from './permissions/authorize.ts'
import { type ProjectFilter, listProjectsById, listProjectsOfOrganization } from './project-queries.ts'
import { type Project, toProject } from './project.ts'

export type ProjectPage = {
  items: Project[]
  /** All of the organization. */ total: number
  /** Those that pass the filter. */ matching: number
}

/** By name unless sorted otherwise. Who has access to single workspaces sees their projects. */
export const listProjects =
  (d: OrganizationDeps, get: GetOrganization, permissionsOf: PermissionsOf, workspaceGrants: WorkspaceGrants) =>
  async (ctx: Ctx, organizationName: string, filter: ProjectFilter, page: { size: number; offset: number }): Promise<ProjectPage> => {
    const { id } = await get(ctx, organizationName)
    const visible = (await permissionsOf(ctx, id)).has('project:read')
      ? 'all'
      : (await workspaceGrants(ctx, id)).map(({ projectId }) => projectId)
    const { items, total, matching } = await listProjectsOfOrganization(d.db, id, { ...filter, visible }, page)
    return { items: items.map(toProject), total, matching }
  }

/** Those of the ids that exist and that the actor may read. */
export const readableProjects =
  (d: OrganizationDeps, permissionsOf: PermissionsOf, workspaceGrants: WorkspaceGrants) =>
  async (ctx: Ctx, ids: readonly string[]): Promise<Project[]> => {
    const projects = (await listProjectsById(d.db, ids)).map(toProject)
    const readable: Project[] = []
    for (const project of projects) {
      const mayReadAll = (await permissionsOf(ctx, project.organizationId)).has('project:read')
      const grants = mayReadAll ? [] : await workspaceGrants(ctx, project.organizationId)
      if (mayReadAll || grants.some(({ projectId }) => projectId === project.id)) readable.push(project)
    }
    return readable
  }
