import type { Resource } from '../api/index.ts'
import type { Ctx } from '../platform/context.ts'
import type { Organizations } from './organizations.ts'
import { projectResource } from './project-resource.ts'
import type { Project } from './project.ts'

/** With the caller's permissions the number of workspaces and the tags, asked for once. */
export const projectsAsResources = async (organizations: Organizations, ctx: Ctx, projects: readonly Project[]): Promise<Resource[]> => {
  const ids = projects.map(({ id }) => id)
  const counts = await organizations.workspaceCounts(ids)
  const bindings = await organizations.bindingsOfProjects(ids)
  return Promise.all(
    projects.map(async (project) =>
      projectResource(
        project,
        await organizations.permissionsOf(ctx, project.organizationId),
        counts.get(project.id) ?? 0,
        bindings.flatMap(({ id, projectId }) => (projectId === project.id ? id : [])),
      ),
    ),
  )
}
