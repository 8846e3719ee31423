import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { OrganizationDeps } from './deps.ts'
import type { GetProject } from './get-project.ts'
import { refuseTakenName } from './name-taken.ts'
import { refuseOwnExecutionMode } from './own-execution-mode.ts'
import { lockProject, saveProject } from './project-queries.ts'
import { type Project, toProject } from './project.ts'
import type { UpdateProject } from './schemas.ts'
import { writeProjectBindings } from './tags/write-project-bindings.ts'

/** Absent members stay, a null description clears, tags are replaced; when nothing differs nothing is written. */
export const updateProject =
  (d: OrganizationDeps, get: GetProject) =>
  async (ctx: Ctx, id: string, input: UpdateProject): Promise<Project> => {
    const { organizationName, defaultExecutionMode } = await get(ctx, id, 'project:update')
    refuseOwnExecutionMode(input, defaultExecutionMode)
    const update = d.db.transaction(async (tx) => {
      const before = await lockProject(tx, id)
      if (before === undefined) throw notFound()
      const name = input.name ?? before.name
      const description = input.description === undefined ? before.description : (input.description ?? '')
      const isTagged = input.tagBindings ? await writeProjectBindings(tx, id, input.tagBindings, 'replace') : false
      if (name === before.name && description === before.description && !isTagged) return before
      const after = { ...before, name, nameKey: name.toLowerCase(), description, updatedAt: d.clock.now() }
      await saveProject(tx, after)
      await d.outbox.emit(tx, { type: 'project.updated', subject: id, organizationId: after.organizationId })
      return after
    })
    return toProject({ row: await refuseTakenName(update), organizationName, defaultExecutionMode })
  }
