import type { Ctx } from '../platform/context.ts'
import { AppError, invalid } from '../platform/errors.ts'
import type { OrganizationDeps } from './deps.ts'
import type { GetProject } from './get-project.ts'
import { deleteProjectRow } from './project-queries.ts'

/** INVALID for the default project and for one with workspaces: the foreign key is the judge, so none can slip in meanwhile. */
export const deleteProject =
  (d: OrganizationDeps, get: GetProject) =>
  async (ctx: Ctx, id: string): Promise<void> => {
    const { isDefault, organizationId } = await get(ctx, id, 'project:delete')
    if (isDefault) throw invalid('The default project cannot be deleted')
    try {
      await d.db.transaction(async (tx) => {
        await deleteProjectRow(tx, id)
        await d.outbox.emit(tx, { type: 'project.deleted', subject: id, organizationId })
      })
    } catch (error) {
      if (error instanceof AppError && error.internal === 'foreign key') {
        throw invalid('The project has workspaces: move them to another project or delete them first')
      }
      throw error
    }
  }
