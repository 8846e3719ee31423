import type { Permission } from '../organizations/index.ts'
import type { OrganizationFacts } from './workspace.ts'

/** Owners may; whoever may delete safely may where the organization allows it. */
export const mayForceDelete = (permissions: ReadonlySet<Permission>, organization: OrganizationFacts): boolean =>
  permissions.has('workspace:force-delete') || (permissions.has('workspace:delete') && organization.allowForceDeleteWorkspaces)

/** The `permissions` object of the resource. Terraform crashes without it and looks at whether `can-force-delete` is there. */
export const permissionsObject = (permissions: ReadonlySet<Permission>, organization: OrganizationFacts) => {
  const can = (permission: Permission): boolean => permissions.has(permission)
  return {
    'can-update': can('workspace:update'),
    'can-destroy': can('workspace:delete'),
    'can-force-delete': mayForceDelete(permissions, organization),
    'can-lock': can('workspace:lock'),
    'can-unlock': can('workspace:lock'),
    'can-force-unlock': can('workspace:force-unlock'),
    'can-read-settings': can('workspace:read'),
    'can-manage-tags': can('workspace:update'),
    'can-manage-run-tasks': can('workspace:update'),
    'can-manage-assessments': can('workspace:update'),
    'can-manage-ephemeral-workspaces': can('workspace:update'),
    'can-manage-hyok': false,
    'can-read-run': can('run:read'),
    'can-queue-run': can('run:plan'),
    'can-queue-apply': can('run:apply'),
    'can-queue-destroy': can('run:apply'),
    'can-read-assessment-results': can('run:read'),
    'can-read-variable': can('variable:read'),
    'can-update-variable': can('variable:write'),
    'can-read-state-versions': can('state:read'),
    'can-read-state-outputs': can('state:read-outputs'),
    'can-create-state-versions': can('state:write'),
  }
}
