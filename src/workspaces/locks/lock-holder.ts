import type { Permission } from '../../organizations/index.ts'
import type { Actor, Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { type LockedBy, lockedByOf, type WorkspaceRow } from '../workspace.ts'

/** As whom the actor locks. Throws NOT_FOUND for actors that cannot hold a lock. */
export const lockHolderOf = (actor: Actor): LockedBy => {
  switch (actor.kind) {
    case 'user':
      return { kind: 'user', id: actor.userId }
    case 'team':
      return { kind: 'team', id: actor.teamId }
    case 'organization':
      // the service account that `account/details` shows for the token
      return { kind: 'user', id: actor.organizationId.replace(/^org-/, 'user-') }
    case 'run':
      return { kind: 'run', id: actor.runId }
    case 'system':
    case 'anonymous':
      break
  }
  throw notFound()
}

/** Whether the actor holds the lock of the workspace: what an upload of state needs. */
export const holdsLock = (row: WorkspaceRow, actor: Actor): boolean => {
  if (actor.kind === 'system' || actor.kind === 'anonymous') return false
  const held = lockedByOf(row)
  const own = lockHolderOf(actor)
  return held !== undefined && held.kind === own.kind && held.id === own.id
}

/** Terraform inside a run locks and unlocks with the run's token; the run has the lock already, so this is about its right to write state. */
export const lockPermission = (ctx: Ctx): Permission => (ctx.actor.kind === 'run' ? 'state:write' : 'workspace:lock')
