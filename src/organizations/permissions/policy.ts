import type { Actor } from '../../platform/context.ts'
import type { OrganizationAccess } from '../tables.ts'
import { permissionsOfAccess } from './organization-access.ts'
import { type Permission, permissions } from './permission.ts'
import { permissionsOfWorkspaceAccess, type WorkspaceAccess } from './workspace-access.ts'

/** What an actor is to one organization. `stranger` is allowed nothing, not even to learn that it exists. */
export type Role = 'owner' | 'member' | 'organization-token' | 'own-run' | 'sharing-run' | 'run' | 'system' | 'stranger'

/** What the database knows about the actor and the target; the rest is in the actor itself. */
export type Facts = {
  membership?: 'owner' | 'member' | undefined
  /** The workspace in question, if there is one. */
  workspaceId?: string | undefined
  /** That workspace shares its state with the workspace of the run that asks. */
  sharesState?: boolean
  /** Of all teams of the actor, in the organization and on the workspace in question. */
  organizationAccess?: readonly OrganizationAccess[]
  workspaceAccess?: readonly WorkspaceAccess[]
}

/** Deny by default. Site admins are not members: they see their own organizations, as everyone else. */
export const roleOf = (actor: Actor, organizationId: string, facts: Facts): Role => {
  switch (actor.kind) {
    case 'system':
      return 'system'
    case 'user':
    case 'team':
      return facts.membership ?? 'stranger'
    case 'organization':
      return actor.organizationId === organizationId ? 'organization-token' : 'stranger'
    case 'run':
      if (actor.organizationId !== organizationId) return 'stranger'
      if (facts.workspaceId === undefined) return 'run'
      if (facts.workspaceId === actor.workspaceId) return 'own-run'
      return facts.sharesState === true ? 'sharing-run' : 'stranger'
    case 'anonymous':
      break
  }
  return 'stranger'
}

const everything: ReadonlySet<Permission> = new Set(permissions)

/** An organization token configures; it starts no run, uploads no state and leaves the organization itself as it is. */
const organizationToken: readonly Permission[] = [
  'organization:read',
  'team:membership',
  'team:write',
  'team:organization-access',
  'team:secret',
  'project:read',
  'project:create',
  'project:update',
  'project:delete',
  'variable-set:read',
  'variable-set:write',
  'workspace:create',
  'workspace:read',
  'workspace:update',
  'workspace:delete',
  'workspace:grant',
  'workspace:lock',
  'workspace:force-unlock',
  'variable:read',
  'variable:write',
  'state:read',
  'state:read-outputs',
  'run:read',
]

const granted: Record<Role, ReadonlySet<Permission>> = {
  owner: everything,
  system: everything,
  member: new Set(['organization:read']),
  'organization-token': new Set(organizationToken),
  run: new Set(['organization:read']),
  'own-run': new Set(['organization:read', 'workspace:read', 'state:read', 'state:read-outputs', 'state:write']),
  'sharing-run': new Set(['organization:read', 'workspace:read', 'state:read', 'state:read-outputs']),
  stranger: new Set(),
}

export const permissionsOfRole = (role: Role): ReadonlySet<Permission> => granted[role]

/** All that the actor may do: what the role gives, and what the teams add to it. The highest of several grants counts. Pure. */
export const permissionsHeld = (actor: Actor, organizationId: string, facts: Facts): ReadonlySet<Permission> => {
  const role = roleOf(actor, organizationId, facts)
  const ofRole = granted[role]
  const { organizationAccess = [], workspaceAccess = [] } = facts
  if (role !== 'member' || (organizationAccess.length === 0 && workspaceAccess.length === 0)) return ofRole
  return new Set([...ofRole, ...permissionsOfAccess(organizationAccess), ...workspaceAccess.flatMap(permissionsOfWorkspaceAccess)])
}
