import { z } from 'zod'
import { resourceType } from '../api/index.ts'
import { entitlementsNotBuilt, limits, rightsNotBuilt } from './not-built.ts'

const flag = z.boolean()
const flags = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, flag]))

export const organizationType = resourceType('organizations', {
  attributes: z.object({
    name: z.string(),
    'external-id': z.string(),
    email: z.string(),
    'created-at': z.date(),
    'default-execution-mode': z.enum(['remote', 'local', 'agent']),
    'user-tokens-enabled': flag,
    'allow-force-delete-workspaces': flag,
    'aggregated-commit-status-enabled': flag,
    'assessments-enforced': flag,
    'collaborator-auth-policy': z.enum(['password', 'two_factor_mandatory']),
    'cost-estimation-enabled': flag,
    'max-ttl-enabled': flag,
    'owners-team-saml-role-id': z.string().nullable(),
    'send-passing-statuses-for-untriggered-speculative-plans': flag,
    /** Minutes. */
    'session-remember': z.int().nullable(),
    'session-timeout': z.int().nullable(),
    /** `2h`, `90m`; null: that of the server. */
    'plan-timeout': z.string().nullable(),
    'apply-timeout': z.string().nullable(),
    'speculative-plan-management-enabled': flag,
    'enforce-hyok': flag,
    'fair-run-queuing-enabled': flag,
    'is-unified': flag,
    'plan-expired': flag,
    'plan-expires-at': z.null(),
    'plan-identifier': z.string(),
    'plan-is-enterprise': flag,
    'plan-is-trial': flag,
    'registry-monorepo-support-enabled': flag,
    'remaining-testable-count': z.int(),
    'saml-enabled': flag,
    'stacks-enabled': flag,
    'trial-expires-at': z.null(),
    'two-factor-conformant': flag,
    permissions: z.object({
      ...flags(rightsNotBuilt),
      'can-update': flag,
      'can-destroy': flag,
      'can-update-api-token': flag,
      'can-traverse': flag,
      'can-create-workspace': flag,
      'can-create-project': flag,
      'can-manage-tags': flag,
      'can-create-team': flag,
      'can-update-ssh-keys': flag,
      'can-read-varsets': flag,
      'can-manage-varsets': flag,
    }),
  }),
  relationships: {
    'default-project': { one: 'projects' },
    'default-agent-pool': { one: 'agent-pools' },
    'data-retention-policy': {
      one: ['data-retention-policies', 'data-retention-policy-delete-olders', 'data-retention-policy-dont-deletes'],
    },
    'entitlement-set': { one: 'entitlement-sets' },
  },
})

export const entitlementSetType = resourceType('entitlement-sets', {
  attributes: z.object({
    ...flags(entitlementsNotBuilt),
    operations: flag,
    teams: flag,
    'state-storage': flag,
    ...Object.fromEntries(limits.map((name) => [name, z.null()])),
  }),
})

export const capacityType = resourceType('organization-capacity', { attributes: z.object({ pending: z.int(), running: z.int() }) })

export const projectType = resourceType('projects', {
  attributes: z.object({
    name: z.string(),
    description: z.string().nullable(),
    'created-at': z.date(),
    'workspace-count': z.int(),
    'team-count': z.int(),
    'is-unified': flag,
    'auto-destroy-activity-duration': z.null(),
    'default-execution-mode': z.enum(['remote', 'local', 'agent']),
    'setting-overwrites': z.object({ 'default-execution-mode': flag, 'default-agent-pool': flag }),
    permissions: z.object({
      'can-read': flag,
      'can-update': flag,
      'can-destroy': flag,
      'can-create-workspace': flag,
      'can-move-workspace': flag,
      'can-read-teams': flag,
      'can-manage-teams': flag,
      'can-manage-varsets': flag,
    }),
  }),
  relationships: {
    organization: { one: 'organizations' },
    'default-agent-pool': { one: 'agent-pools' },
    'tag-bindings': { many: 'tag-bindings' },
    'effective-tag-bindings': { many: 'effective-tag-bindings' },
  },
})

/** See admin-endpoints.ts. */
export const featureSetType = resourceType('feature-sets', { attributes: z.object({ name: z.string() }) })
