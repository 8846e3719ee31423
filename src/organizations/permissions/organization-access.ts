import type { OrganizationAccess } from '../tables.ts'
import type { Permission } from './permission.ts'

/** What a team can be given for the whole organization, as it is called on the wire. */
export const organizationAccess = [
  'manage-policies',
  'manage-policy-overrides',
  'delegate-policy-overrides',
  'manage-workspaces',
  'manage-vcs-settings',
  'manage-providers',
  'manage-modules',
  'manage-run-tasks',
  'manage-projects',
  'read-workspaces',
  'read-projects',
  'manage-membership',
  'manage-teams',
  'manage-organization-access',
  'access-secret-teams',
  'manage-agent-pools',
] as const

const readRuns: readonly Permission[] = ['workspace:read', 'run:read']
const readWorkspaces: readonly Permission[] = [...readRuns, 'variable:read', 'state:read', 'state:read-outputs']
const administerWorkspaces: readonly Permission[] = [
  ...readWorkspaces,
  'project:read',
  'workspace:create',
  'workspace:update',
  'workspace:delete',
  'workspace:grant',
  'workspace:lock',
  'workspace:force-unlock',
  'variable:write',
  'state:write',
  'run:plan',
  'run:apply',
  'run:cancel',
  'run:force-cancel',
  'run:force-execute',
  'run:comment',
  'plan-json:read',
  'variable-set:read',
  'variable-set:write',
]
const manageTeams: readonly Permission[] = ['team:membership', 'team:write']

/** What is not named gives nothing, as there is nothing yet that it could be about. */
const given: Partial<Record<OrganizationAccess, readonly Permission[]>> = {
  'read-workspaces': readWorkspaces,
  'read-projects': ['project:read'],
  'manage-workspaces': administerWorkspaces,
  'manage-projects': [...administerWorkspaces, 'project:create', 'project:update', 'project:delete'],
  'manage-policies': readRuns,
  'manage-policy-overrides': readRuns,
  'manage-vcs-settings': ['ssh-key:read', 'ssh-key:write'],
  'manage-agent-pools': [...readWorkspaces, 'project:read'],
  'manage-membership': ['team:membership'],
  'manage-teams': manageTeams,
  'manage-organization-access': [...manageTeams, 'team:organization-access'],
  'access-secret-teams': ['team:secret'],
}

/** What the access of a team means, in every workspace of the organization. Pure. */
export const permissionsOfAccess = (access: readonly OrganizationAccess[]): Permission[] => access.flatMap((name) => given[name] ?? [])
