import { isDeepStrictEqual } from 'node:util'
import type { Ctx } from '../../platform/context.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import type { OrganizationDeps, OrganizationTx } from '../deps.ts'
import type { GetOrganization } from '../get-organization.ts'
import { refuseTakenName } from '../name-taken.ts'
import type { PermissionsOf } from '../permissions/authorize.ts'
import type { Permission } from '../permissions/permission.ts'
import { changedAccess } from './changed-access.ts'
import { loadTeamViews } from './load-team-views.ts'
import { deleteTeamRow, insertTeam, lockTeam, saveTeam } from './queries.ts'
import type { CreateTeam, UpdateTeam } from './schemas.ts'
import { type TeamRights, findVisibleTeam, mayChange, teamRights } from './team-rights.ts'
import { type TeamRow, type TeamView, newTeamRow } from './team.ts'

/** Creating, changing and deleting teams. NOT_FOUND for who may not; the team of owners stays as it is (INVALID). */
export const writeTeams = (d: OrganizationDeps, get: GetOrganization, permissionsOf: PermissionsOf) => {
  /** The team locked, for whoever holds `permission` on it. */
  const lockAllowedTeam = async (tx: OrganizationTx, ctx: Ctx, id: string, permission: Permission) => {
    const { team, rights } = await findVisibleTeam(permissionsOf, ctx, tx, id)
    if (!mayChange(rights, team, permission)) throw notFound()
    const row = await lockTeam(tx, id)
    if (row === undefined) throw notFound()
    return { row, rights }
  }

  const viewOf = async (tx: OrganizationTx, rights: TeamRights, row: TeamRow): Promise<TeamView> => {
    const [view] = await loadTeamViews(tx, rights, [row])
    if (view === undefined) throw notFound()
    return view
  }

  return {
    createTeam: async (ctx: Ctx, organizationName: string, input: CreateTeam): Promise<TeamView> => {
      const { id: organizationId } = await get(ctx, organizationName, 'team:write')
      const access = changedAccess([], input.organizationAccess)
      if (access.length > 0) await get(ctx, organizationName, 'team:organization-access')
      const row = newTeamRow({
        organizationId,
        name: input.name,
        visibility: input.visibility ?? 'secret',
        ssoTeamId: input.ssoTeamId ?? null,
        allowMemberTokenManagement: input.allowMemberTokenManagement ?? true,
        organizationAccess: access,
        now: d.clock.now(),
      })
      return refuseTakenName(
        d.db.transaction(async (tx) => {
          await insertTeam(tx, row)
          await d.outbox.emit(tx, { type: 'team.created', subject: row.id, organizationId })
          return viewOf(tx, await teamRights(permissionsOf, ctx, tx, organizationId), row)
        }),
      )
    },

    /** Absent members stay. */
    updateTeam: (ctx: Ctx, id: string, input: UpdateTeam): Promise<TeamView> =>
      refuseTakenName(
        d.db.transaction(async (tx) => {
          const { row, rights } = await lockAllowedTeam(tx, ctx, id, 'team:write')
          const after = { ...merged(row, input), updatedAt: d.clock.now() }
          if (isDeepStrictEqual({ ...after, updatedAt: row.updatedAt }, row)) return viewOf(tx, rights, row)
          if (row.isOwners) throw invalid('The team of owners cannot be changed: only its members can')
          const isAccessChanged = !isDeepStrictEqual(after.organizationAccess, row.organizationAccess)
          if (isAccessChanged && !mayChange(rights, row, 'team:organization-access')) throw notFound()
          await saveTeam(tx, after)
          await d.outbox.emit(tx, { type: 'team.updated', subject: id, organizationId: row.organizationId })
          return viewOf(tx, rights, after)
        }),
      ),

    /** With its tokens and with what it was given on workspaces. */
    deleteTeam: (ctx: Ctx, id: string): Promise<void> =>
      d.db.transaction(async (tx) => {
        const { row } = await lockAllowedTeam(tx, ctx, id, 'team:write')
        if (row.isOwners) throw invalid('The team of owners cannot be deleted')
        await d.accounts.teamTokens.removeAll(tx, id)
        await deleteTeamRow(tx, id)
        await d.outbox.emit(tx, { type: 'team.deleted', subject: id, organizationId: row.organizationId })
      }),
  }
}

const merged = (before: TeamRow, input: UpdateTeam): TeamRow => {
  const name = input.name ?? before.name
  return {
    ...before,
    name,
    nameKey: name.toLowerCase(),
    visibility: input.visibility ?? before.visibility,
    ssoTeamId: input.ssoTeamId === undefined ? before.ssoTeamId : input.ssoTeamId,
    allowMemberTokenManagement: input.allowMemberTokenManagement ?? before.allowMemberTokenManagement,
    organizationAccess: changedAccess(before.organizationAccess, input.organizationAccess),
  }
}
