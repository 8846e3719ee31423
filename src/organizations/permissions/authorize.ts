import type { Actor, Ctx } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { type OrganizationReader, findMembership, prepareFindMembership } from '../queries.ts'
import type { OrganizationAccess, OrganizationTables } from '../tables.ts'
import { findTeam, listTeamsOfUser } from '../teams/queries.ts'
import type { Permission } from './permission.ts'
import { type Facts, permissionsHeld } from './policy.ts'
import type { WorkspaceAccess } from './workspace-access.ts'

export type Target = { organizationId: string; workspaceId?: string | undefined }

/**
 * Throws NOT_FOUND unless the actor holds `permission` on the target: whoever may not act does not learn that it exists.
 * Throws UNAUTHORIZED for user tokens where the organization has switched them off.
 * Inside a transaction pass the `tx`: asking for a second connection there can starve the pool.
 */
export type Authorize = (ctx: Ctx, permission: Permission, target: Target, reader?: OrganizationReader) => Promise<void>

/**
 * All that the actor may do in the organization, and on the workspace if one is given, for `permissions` objects of resources.
 * Looked up once per request and organization; empty for strangers. Throws UNAUTHORIZED as `Authorize` does.
 */
export type PermissionsOf = (
  ctx: Ctx,
  organizationId: string,
  workspaceId?: string,
  reader?: OrganizationReader,
) => Promise<ReadonlySet<Permission>>

/** Port of the slice that knows workspaces: may a run of workspace `consumerId` read the state of `workspaceId`? */
export type SharesState = (workspaceId: string, consumerId: string) => Promise<boolean>

export type WorkspaceGrant = { workspaceId: string; projectId: string; access: WorkspaceAccess }

/** Port of the slice that knows workspaces: what these teams were given on single ones. */
export type GrantsOf = (reader: OrganizationReader, teamIds: readonly string[]) => Promise<WorkspaceGrant[]>

/** Workspaces, with their projects, on which the actor holds something by a team. Those of owners and of whoever reads everything are not among them. */
export type WorkspaceGrants = (ctx: Ctx, organizationId: string) => Promise<readonly WorkspaceGrant[]>

/** What a member is in an organization, by the membership and by teams. */
type Standing = {
  role: 'owner' | 'member'
  userTokensEnabled: boolean
  organizationAccess: readonly OrganizationAccess[]
  grants: readonly WorkspaceGrant[]
}

type Deps = { db: Database<OrganizationTables>; sharesState: SharesState; grantsOf: GrantsOf }

export const makeAuthorize = ({
  db,
  sharesState,
  grantsOf,
}: Deps): { authorize: Authorize; permissionsOf: PermissionsOf; workspaceGrants: WorkspaceGrants } => {
  const lookup = prepareFindMembership(db)
  const seen = new WeakMap<Ctx, Map<string, Standing>>()

  const standingOfUser = async (userId: string, organizationId: string, reader?: OrganizationReader): Promise<Standing | undefined> => {
    const found = await (reader === undefined ? lookup(organizationId, userId) : findMembership(reader, organizationId, userId))
    if (found === undefined) return undefined
    if (found.role === 'owner') return { ...found, organizationAccess: [], grants: [] }
    const teams = await listTeamsOfUser(reader ?? db, organizationId, userId)
    return { ...found, ...(await byTeams(teams, reader)) }
  }

  const standingOfTeam = async (teamId: string, organizationId: string, reader?: OrganizationReader): Promise<Standing | undefined> => {
    const team = await findTeam(reader ?? db, teamId)
    if (team?.organizationId !== organizationId) return undefined
    return { role: team.isOwners ? 'owner' : 'member', userTokensEnabled: true, ...(await byTeams([team], reader)) }
  }

  const byTeams = async (teams: readonly { id: string; organizationAccess: OrganizationAccess[] }[], reader?: OrganizationReader) => ({
    organizationAccess: teams.flatMap(({ organizationAccess }) => organizationAccess),
    grants:
      teams.length === 0
        ? []
        : await grantsOf(
            reader ?? db,
            teams.map(({ id }) => id),
          ),
  })

  /** Remembers members only: a stranger may become one within the request, by creating the organization. */
  const standingOf = async (
    ctx: Ctx,
    actor: Extract<Actor, { kind: 'user' | 'team' }>,
    organizationId: string,
    reader?: OrganizationReader,
  ): Promise<Standing | undefined> => {
    const known = seen.get(ctx)?.get(organizationId)
    if (known !== undefined) return known
    const found =
      actor.kind === 'user'
        ? await standingOfUser(actor.userId, organizationId, reader)
        : await standingOfTeam(actor.teamId, organizationId, reader)
    if (found === undefined) return undefined
    const remembered = seen.get(ctx) ?? new Map<string, Standing>()
    seen.set(ctx, remembered.set(organizationId, found))
    return found
  }

  const factsOf = async (ctx: Ctx, { organizationId, workspaceId }: Target, reader?: OrganizationReader): Promise<Facts> => {
    const { actor } = ctx
    if (actor.kind === 'run' && actor.organizationId === organizationId && workspaceId !== undefined && workspaceId !== actor.workspaceId) {
      return { workspaceId, sharesState: await sharesState(workspaceId, actor.workspaceId) }
    }
    if (actor.kind !== 'user' && actor.kind !== 'team') return { workspaceId }
    const standing = await standingOf(ctx, actor, organizationId, reader)
    if (standing?.userTokensEnabled === false && actor.tokenId !== undefined) throw userTokensOff()
    if (standing === undefined) return { workspaceId }
    const { role, organizationAccess, grants } = standing
    const workspaceAccess = grants.flatMap((grant) => (grant.workspaceId === workspaceId ? grant.access : []))
    return { workspaceId, membership: role, organizationAccess, workspaceAccess }
  }

  const permissionsOf: PermissionsOf = async (ctx, organizationId, workspaceId, reader) =>
    permissionsHeld(ctx.actor, organizationId, await factsOf(ctx, { organizationId, workspaceId }, reader))

  return {
    permissionsOf,
    authorize: async (ctx, permission, target, reader) => {
      const held = await permissionsOf(ctx, target.organizationId, target.workspaceId, reader)
      if (!held.has(permission)) throw notFound()
    },
    workspaceGrants: async (ctx, organizationId) => {
      const { actor } = ctx
      if (actor.kind !== 'user' && actor.kind !== 'team') return []
      return (await standingOf(ctx, actor, organizationId))?.grants ?? []
    },
  }
}

const userTokensOff = () => new AppError('UNAUTHORIZED', 'This organization does not accept user tokens.')
