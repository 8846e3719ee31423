import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { Permission } from '../permissions/permission.ts'
import type { PermissionsOf } from '../permissions/authorize.ts'
import type { OrganizationReader } from '../queries.ts'
import { findTeam, listTeamsOfUser } from './queries.ts'
import type { TeamRow } from './team.ts'

/** What an actor may do with the teams of one organization. */
export type TeamRights = {
  held: ReadonlySet<Permission>
  /** Teams that he is in; for the token of a team the team itself. */
  own: readonly string[]
}

export const teamRights = async (
  permissionsOf: PermissionsOf,
  ctx: Ctx,
  reader: OrganizationReader,
  organizationId: string,
): Promise<TeamRights> => {
  const { actor } = ctx
  const held = await permissionsOf(ctx, organizationId, undefined, reader)
  if (!held.has('organization:read')) throw notFound()
  if (actor.kind === 'team') return { held, own: [actor.teamId] }
  if (actor.kind !== 'user') return { held, own: [] }
  return { held, own: (await listTeamsOfUser(reader, organizationId, actor.userId)).map(({ id }) => id) }
}

/** Secret teams are for their members and for whoever may see all. */
export const maySee = ({ held, own }: TeamRights, team: TeamRow): boolean =>
  team.visibility === 'organization' || held.has('team:secret') || own.includes(team.id)

/** The team of owners is for owners alone. */
export const mayChange = (rights: TeamRights, team: TeamRow, permission: Permission): boolean =>
  maySee(rights, team) && rights.held.has(permission) && (!team.isOwners || rights.held.has('organization:tokens'))

export const mayManageTokens = (rights: TeamRights, team: TeamRow): boolean =>
  mayChange(rights, team, 'team:write') || (team.allowMemberTokenManagement && rights.own.includes(team.id))

/** The team with the rights of the actor, if he may see it. NOT_FOUND otherwise. */
export const findVisibleTeam = async (
  permissionsOf: PermissionsOf,
  ctx: Ctx,
  reader: OrganizationReader,
  id: string,
): Promise<{ team: TeamRow; rights: TeamRights }> => {
  const team = await findTeam(reader, id)
  if (team === undefined) throw notFound()
  const rights = await teamRights(permissionsOf, ctx, reader, team.organizationId)
  if (!maySee(rights, team)) throw notFound()
  return { team, rights }
}
