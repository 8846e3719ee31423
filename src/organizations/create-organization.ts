import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { OrganizationDeps } from './deps.ts'
import { refuseTakenName } from './name-taken.ts'
import { type Organization, type OrganizationRow, toOrganization } from './organization.ts'
import { insertProject } from './project-queries.ts'
import { newProjectRow } from './project.ts'
import { insertMembership, insertOrganization } from './queries.ts'
import type { CreateOrganization } from './schemas.ts'
import { defaultSettings, mergeSettings } from './settings.ts'
import { insertTeam, insertTeamMembers } from './teams/queries.ts'
import { OWNERS, newTeamRow } from './teams/team.ts'

/** Any user may; he becomes its owner, in the team of owners, and it gets its default project. Throws INVALID when the name is taken, in whatever case. */
export const createOrganization =
  (d: OrganizationDeps) =>
  async ({ actor }: Ctx, input: CreateOrganization): Promise<Organization> => {
    if (actor.kind !== 'user') throw notFound()
    const now = d.clock.now()
    const row: OrganizationRow = {
      id: newId('org'),
      name: input.name,
      nameKey: input.name.toLowerCase(),
      email: input.email,
      defaultExecutionMode: input.defaultExecutionMode ?? 'remote',
      userTokensEnabled: input.userTokensEnabled ?? true,
      allowForceDeleteWorkspaces: input.allowForceDeleteWorkspaces ?? false,
      settings: mergeSettings(defaultSettings, input),
      retention: null,
      createdAt: now,
      updatedAt: now,
    }
    const project = newProjectRow({ organizationId: row.id, name: 'Default Project', description: '', isDefault: true, now })
    const owners = newTeamRow({ organizationId: row.id, name: OWNERS, isOwners: true, now })
    await refuseTakenName(
      d.db.transaction(async (tx) => {
        await insertOrganization(tx, row)
        await insertMembership(tx, { id: newId('ou'), organizationId: row.id, userId: actor.userId, role: 'owner', createdAt: now })
        await insertProject(tx, project)
        await insertTeam(tx, owners)
        await insertTeamMembers(tx, owners.id, [actor.userId])
        await d.outbox.emit(tx, { type: 'organization.created', subject: row.id, organizationId: row.id })
      }),
    )
    return toOrganization({ row, defaultProjectId: project.id })
  }
