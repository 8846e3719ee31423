import type { Ctx } from '../platform/context.ts'
import type { OrganizationDeps } from './deps.ts'
import type { GetOrganization } from './get-organization.ts'
import { refuseTakenName } from './name-taken.ts'
import { refuseOwnExecutionMode } from './own-execution-mode.ts'
import { insertProject } from './project-queries.ts'
import { type Project, newProjectRow, toProject } from './project.ts'
import type { CreateProject } from './schemas.ts'
import { writeProjectBindings } from './tags/write-project-bindings.ts'

/** Throws INVALID when the name is taken in the organization, in whatever case. */
export const createProject =
  (d: OrganizationDeps, get: GetOrganization) =>
  async (ctx: Ctx, organizationName: string, input: CreateProject): Promise<Project> => {
    const organization = await get(ctx, organizationName, 'project:create')
    refuseOwnExecutionMode(input, organization.defaultExecutionMode)
    const row = newProjectRow({
      organizationId: organization.id,
      name: input.name,
      description: input.description ?? '',
      isDefault: false,
      now: d.clock.now(),
    })
    await refuseTakenName(
      d.db.transaction(async (tx) => {
        await insertProject(tx, row)
        await writeProjectBindings(tx, row.id, input.tagBindings ?? [], 'replace')
        await d.outbox.emit(tx, { type: 'project.created', subject: row.id, organizationId: organization.id })
      }),
    )
    return toProject({ row, organizationName: organization.name, defaultExecutionMode: organization.defaultExecutionMode })
  }
