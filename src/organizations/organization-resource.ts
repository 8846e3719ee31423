import { type Resource, linkOne, resource } from '../api/index.ts'
import type { Capacity } from './get-capacity.ts'
import type { Organization } from './organization.ts'
import type { Permission } from './permissions/permission.ts'

/** `permissions`: what the caller may do in it. */
export const organizationResource = (organization: Organization, permissions: ReadonlySet<Permission>): Resource => {
  const { settings } = organization
  return resource({
    type: 'organizations',
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
      'speculative-plan-management-enabled': settings.speculativePlanManagementEnabled,
      ...constants,
      permissions: organizationPermissions(permissions),
    },
    relationships: {
      'default-project': linkOne('projects', organization.defaultProjectId),
      'default-agent-pool': linkOne('agent-pools', null),
      'data-retention-policy': linkOne('data-retention-policies', null),
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

const notBuilt = [
  'can-access-via-teams',
  'can-create-module',
  'can-create-provider',
  'can-create-team',
  'can-create-workspace-migration',
  'can-deploy-no-code-modules',
  'can-enable-stacks',
  'can-manage-auditing',
  'can-manage-custom-providers',
  'can-manage-no-code-modules',
  'can-manage-public-modules',
  'can-manage-public-providers',
  'can-manage-run-tasks',
  'can-manage-sso',
  'can-manage-subscription',
  'can-manage-users',
  'can-manage-varsets',
  'can-read-run-tasks',
  'can-read-varsets',
  'can-start-trial',
  'can-update-agent-pools',
  'can-update-hyok-configuration',
  'can-update-oauth',
  'can-update-sentinel',
  'can-update-ssh-keys',
  'can-view-hyok-feature-info',
]

const organizationPermissions = (held: ReadonlySet<Permission>): Record<string, boolean> => ({
  ...Object.fromEntries(notBuilt.map((name) => [name, false])),
  'can-update': held.has('organization:update'),
  'can-destroy': held.has('organization:delete'),
  'can-update-api-token': held.has('organization:tokens'),
  'can-traverse': held.has('project:read'),
  'can-create-workspace': held.has('workspace:create'),
  'can-create-project': held.has('project:create'),
  'can-manage-tags': held.has('workspace:update'),
})

/** True for what is built, and for nothing else. The CLI runs everything locally unless `operations` is true. */
export const entitlementSetResource = (organizationId: string): Resource =>
  resource({
    type: 'entitlement-sets',
    id: organizationId,
    attributes: {
      ...Object.fromEntries(unentitled.map((name) => [name, false])),
      operations: true,
      'state-storage': true,
      ...Object.fromEntries(limits.map((name) => [name, null])),
    },
  })

const unentitled = [
  'agents',
  'audit-logging',
  'configuration-designer',
  'cost-estimation',
  'global-run-tasks',
  'infragraph',
  'infragraph-with-nrtu',
  'module-tests-generation',
  'policy-enforcement',
  'private-module-registry',
  'private-policy-agents',
  'private-run-tasks',
  'private-vcs',
  'run-tasks',
  'self-serve-billing',
  'sentinel',
  'sso',
  'teams',
  'usage-reporting',
  'vcs-integrations',
  'waypoint-actions',
  'waypoint-templates-and-addons',
]

const limits = [
  'policy-limit',
  'policy-mandatory-enforcement-limit',
  'policy-set-limit',
  'run-task-limit',
  'run-task-mandatory-enforcement-limit',
  'run-task-workspace-limit',
  'user-limit',
  'versioned-policy-set-limit',
]

export const capacityResource = ({ organizationName, pending, running }: Capacity): Resource =>
  resource({ type: 'organization-capacity', id: organizationName, attributes: { pending, running } })
