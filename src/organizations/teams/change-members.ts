import type { Ctx } from '../../platform/context.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { OrganizationDeps, OrganizationTx } from '../deps.ts'
import type { PermissionsOf } from '../permissions/authorize.ts'
import { lockOrganization } from '../queries.ts'
import {
  countMembers,
  deleteTeamMembers,
  ensureMemberships,
  insertTeamMembers,
  listMembershipsById,
  listUsersByName,
  setRole,
} from './queries.ts'
import { findVisibleTeam, mayChange } from './team-rights.ts'
import type { TeamRow } from './team.ts'

/** How a request names members: by user name, or by their memberships in the organization. */
export type NamedMembers = { usernames: readonly string[] } | { membershipIds: readonly string[] }

/**
 * Who is in a team. A user of this server who is put into a team becomes a member of its organization. Members of the team of owners are the
 * owners; the last one stays (FORBIDDEN). INVALID for users that do not exist, NOT_FOUND for who may not.
 */
export const changeMembers = (d: OrganizationDeps, permissionsOf: PermissionsOf) => {
  const change = (
    ctx: Ctx,
    id: string,
    named: NamedMembers,
    write: (tx: OrganizationTx, team: TeamRow, userIds: string[]) => Promise<void>,
  ) =>
    d.db.transaction(async (tx) => {
      const { team, rights } = await findVisibleTeam(permissionsOf, ctx, tx, id)
      if (!mayChange(rights, team, 'team:membership')) throw notFound()
      // members of owners are counted: one change after the other
      await lockOrganization(tx, team.organizationId)
      await write(tx, team, await usersOf(tx, team, named))
      await d.outbox.emit(tx, { type: 'team.updated', subject: id, organizationId: team.organizationId })
    })

  return {
    addTeamMembers: (ctx: Ctx, id: string, named: NamedMembers): Promise<void> =>
      change(ctx, id, named, async (tx, { organizationId, isOwners }, userIds) => {
        const createdAt = d.clock.now()
        await ensureMemberships(
          tx,
          userIds.map((userId) => ({ id: newId('ou'), organizationId, userId, role: 'member', createdAt })),
        )
        await insertTeamMembers(tx, id, userIds)
        if (isOwners) await setRole(tx, organizationId, userIds, 'owner')
      }),

    /** Those who are not in the team are no error. They stay members of the organization. */
    removeTeamMembers: (ctx: Ctx, id: string, named: NamedMembers): Promise<void> =>
      change(ctx, id, named, async (tx, { organizationId, isOwners }, userIds) => {
        await deleteTeamMembers(tx, id, userIds)
        if (!isOwners) return
        if ((await countMembers(tx, id)) === 0) throw new AppError('FORBIDDEN', 'The last owner of an organization cannot be removed.')
        await setRole(tx, organizationId, userIds, 'member')
      }),
  }
}

const usersOf = async (tx: OrganizationTx, { organizationId }: TeamRow, named: NamedMembers): Promise<string[]> => {
  if ('membershipIds' in named) {
    const found = await listMembershipsById(tx, organizationId, named.membershipIds)
    const missing = named.membershipIds.find((id) => !found.some((membership) => membership.id === id))
    if (missing !== undefined) throw invalid(`The membership ${missing.slice(0, 100)} does not exist in this organization`)
    return found.map(({ userId }) => userId)
  }
  const found = await listUsersByName(tx, named.usernames)
  const missing = named.usernames.find((name) => !found.some(({ nameKey }) => nameKey === name.toLowerCase()))
  if (missing !== undefined) throw invalid(`The user ${missing.slice(0, 100)} does not exist`)
  return found.map(({ id }) => id)
}
