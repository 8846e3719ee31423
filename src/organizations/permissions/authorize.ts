import type { Ctx } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { type OrganizationReader, findMembership, prepareFindMembership } from '../queries.ts'
import type { OrganizationTables } from '../tables.ts'
import type { Permission } from './permission.ts'
import { type Facts, permissionsOfRole, roleOf } from './policy.ts'

export type Target = { organizationId: string; workspaceId?: string | undefined }

/**
 * Throws NOT_FOUND unless the actor holds `permission` on the target: whoever may not act does not learn that it exists.
 * Throws UNAUTHORIZED for user tokens where the organization has switched them off.
 * Inside a transaction pass the `tx`: asking for a second connection there can starve the pool.
 */
export type Authorize = (ctx: Ctx, permission: Permission, target: Target, reader?: OrganizationReader) => Promise<void>

/**
 * All that the actor may do in the organization (run tokens: in that workspace), for `permissions` objects of resources.
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

type Membership = Awaited<ReturnType<typeof findMembership>>
type Deps = { db: Database<OrganizationTables>; sharesState: SharesState }

export const makeAuthorize = ({ db, sharesState }: Deps): { authorize: Authorize; permissionsOf: PermissionsOf } => {
  const lookup = prepareFindMembership(db)
  const seen = new WeakMap<Ctx, Map<string, Membership>>()

  /** Remembers members only: a stranger may become one within the request, by creating the organization. */
  const membershipOf = async (ctx: Ctx, userId: string, organizationId: string, reader?: OrganizationReader): Promise<Membership> => {
    const known = seen.get(ctx)?.get(organizationId)
    if (known !== undefined) return known
    const found = await (reader === undefined ? lookup(organizationId, userId) : findMembership(reader, organizationId, userId))
    if (found === undefined) return undefined
    const remembered = seen.get(ctx) ?? new Map<string, Membership>()
    seen.set(ctx, remembered.set(organizationId, found))
    return found
  }

  const factsOf = async (ctx: Ctx, { organizationId, workspaceId }: Target, reader?: OrganizationReader): Promise<Facts> => {
    const { actor } = ctx
    if (actor.kind === 'run' && actor.organizationId === organizationId && workspaceId !== undefined && workspaceId !== actor.workspaceId) {
      return { workspaceId, sharesState: await sharesState(workspaceId, actor.workspaceId) }
    }
    if (actor.kind !== 'user') return { workspaceId }
    const membership = await membershipOf(ctx, actor.userId, organizationId, reader)
    if (membership?.userTokensEnabled === false && actor.tokenId !== undefined) throw userTokensOff()
    return { workspaceId, membership: membership?.role }
  }

  const permissionsOf: PermissionsOf = async (ctx, organizationId, workspaceId, reader) =>
    permissionsOfRole(roleOf(ctx.actor, organizationId, await factsOf(ctx, { organizationId, workspaceId }, reader)))

  return {
    permissionsOf,
    authorize: async (ctx, permission, target, reader) => {
      const held = await permissionsOf(ctx, target.organizationId, target.workspaceId, reader)
      if (!held.has(permission)) throw notFound()
    },
  }
}

const userTokensOff = () => new AppError('UNAUTHORIZED', 'This organization does not accept user tokens.')
