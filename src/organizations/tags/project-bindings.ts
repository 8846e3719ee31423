import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { OrganizationDeps } from '../deps.ts'
import type { GetProject } from '../get-project.ts'
import type { PermissionsOf } from '../permissions/authorize.ts'
import { lockProject, saveProject } from '../project-queries.ts'
import { type ProjectBinding, listProjectBindings, listProjectBindingsById } from './queries.ts'
import type { readBindings } from './read-bindings.ts'
import { writeProjectBindings } from './write-project-bindings.ts'

/** Key/value tags of projects, which their workspaces inherit. */
export const projectBindings = (d: OrganizationDeps, get: GetProject, permissionsOf: PermissionsOf) => ({
  listProjectTagBindings: async (ctx: Ctx, projectId: string): Promise<ProjectBinding[]> => {
    await get(ctx, projectId)
    return listProjectBindings(d.db, [projectId])
  },

  /** Adds bindings, or changes the value of those there are; removes none. All bindings afterwards. Throws INVALID. */
  addProjectTagBindings: async (ctx: Ctx, projectId: string, sent: Parameters<typeof readBindings>[0]): Promise<ProjectBinding[]> => {
    await get(ctx, projectId, 'project:update')
    return d.db.transaction(async (tx) => {
      const row = await lockProject(tx, projectId)
      if (row === undefined) throw notFound()
      if (await writeProjectBindings(tx, projectId, sent, 'add')) {
        await saveProject(tx, { ...row, updatedAt: d.clock.now() })
        await d.outbox.emit(tx, { type: 'project.updated', subject: projectId, organizationId: row.organizationId })
      }
      return listProjectBindings(tx, [projectId])
    })
  },

  /** By project, for their resources; whoever calls has authorized. */
  bindingsOfProjects: (projectIds: readonly string[]): Promise<ProjectBinding[]> => listProjectBindings(d.db, projectIds),

  /** Those of the bindings whose organization the actor may read, for embedding. */
  readableProjectBindings: async (ctx: Ctx, ids: readonly string[]): Promise<ProjectBinding[]> => {
    const readable: ProjectBinding[] = []
    for (const { binding, organizationId } of await listProjectBindingsById(d.db, ids)) {
      if ((await permissionsOf(ctx, organizationId)).has('organization:read')) readable.push(binding)
    }
    return readable
  },
})
