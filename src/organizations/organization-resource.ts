import { type Resource, linkOne } from '../api/index.ts'
import type { Capacity } from './get-capacity.ts'
import { entitlementsNotBuilt, limits, rightsNotBuilt } from './not-built.ts'
import type { Organization } from './organization.ts'
import type { Permission } from './permissions/permission.ts'
import { linkRetentionPolicy } from './retention/resource.ts'
import { capacityType, entitlementSetType, organizationType } from './resource-types.ts'

/** `permissions`: what the caller may do in it. */
export const organizationResource = (organization: Organization, permissions: ReadonlySet<Permission>): Resource => {
  const { settings } = organization
  return organizationType.of({
    id: organization.name,
    attributes: {
      name: organization.name,
      'external-id': organization.id,
      email: organization.email,
      'created-at': organization.createdAt,
      'default-execution-mode': organization.defaultExecutionMode,
      'user-tokens-enabled': organization.userTokensEnabled,
      'allow-force-delete-workspaces': organization.allowForceDeleteWorkspaces,
      'aggregated-commit-status-enabled': settings.aggregatedCommitStatusEnabled,
      'assessments-enforced': settings.assessmentsEnforced,
      'collaborator-auth-policy': settings.collaboratorAuthPolicy,
      'cost-estimation-enabled': settings.costEstimationEnabled,
      'max-ttl-enabled': settings.maxTtlEnabled,
      'owners-team-saml-role-id': settings.ownersTeamSamlRoleId,
      'send-passing-statuses-for-untriggered-speculative-plans': settings.sendPassingStatusesForUntriggeredSpeculativePlans,
      'session-remember': settings.sessionRemember,
      'session-timeout': settings.sessionTimeout,
      // Absent in the settings of an organization that was made before there were any.
      'plan-timeout': settings.planTimeout ?? null,
      'apply-timeout': settings.applyTimeout ?? null,
      'speculative-plan-management-enabled': settings.speculativePlanManagementEnabled,
      ...constants,
      permissions: organizationPermissions(permissions),
    },
    relationships: {
      'default-project': linkOne('projects', organization.defaultProjectId),
      'default-agent-pool': linkOne('agent-pools', null),
      'data-retention-policy': linkRetentionPolicy(organization.retention),
      'entitlement-set': linkOne('entitlement-sets', organization.id),
    },
    links: { self: `/api/v2/organizations/${organization.name}` },
  })
}

/** What clients expect to find and what has one value here: there are no plans to buy, no single sign-on, no stacks. */
const constants = {
  'enforce-hyok': false,
  'fair-run-queuing-enabled': true,
  'is-unified': false,
  'plan-expired': false,
  'plan-expires-at': null,
  'plan-identifier': 'self-hosted',
  'plan-is-enterprise': true,
  'plan-is-trial': false,
  'registry-monorepo-support-enabled': false,
  'remaining-testable-count': 25,
  'saml-enabled': false,
  'stacks-enabled': false,
  'trial-expires-at': null,
  'two-factor-conformant': true,
}

const organizationPermissions = (held: ReadonlySet<Permission>) => ({
  ...Object.fromEntries(rightsNotBuilt.map((name) => [name, false])),
  'can-update': held.has('organization:update'),
  'can-destroy': held.has('organization:delete'),
  'can-update-api-token': held.has('organization:tokens'),
  'can-traverse': held.has('project:read'),
  'can-create-workspace': held.has('workspace:create'),
  'can-create-project': held.has('project:create'),
  'can-manage-tags': held.has('workspace:update'),
  'can-create-team': held.has('team:write'),
  'can-update-ssh-keys': held.has('ssh-key:write'),
  'can-read-varsets': held.has('variable-set:read'),
  'can-manage-varsets': held.has('variable-set:write'),
})

/** True for what is built, and for nothing else. The CLI runs everything locally unless `operations` is true. */
export const entitlementSetResource = (organizationId: string): Resource =>
  entitlementSetType.of({
    id: organizationId,
    attributes: {
      ...Object.fromEntries(entitlementsNotBuilt.map((name) => [name, false])),
      operations: true,
      teams: true,
      'state-storage': true,
      ...Object.fromEntries(limits.map((name) => [name, null])),
    },
  })

export const capacityResource = ({ organizationName, pending, running }: Capacity): Resource =>
  capacityType.of({ id: organizationName, attributes: { pending, running } })
