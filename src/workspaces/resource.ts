import { type Relationship, type Resource, linkMany, linkOne, linkOnly } from '../api/index.ts'
import { linkRetentionPolicy } from '../organizations/index.ts'
import { inheritedIdOf } from '../organizations/index.ts'
import { permissionsObject } from './permissions.ts'
import { workspaceType } from './resource-types.ts'
import { executionModeOf, type LockedBy, lockedByOf, type WorkspaceView } from './workspace.ts'

/** The one form of a workspace: create, read, list and actions answer the same. */
export const workspaceResource = (view: WorkspaceView): Resource => {
  const { row, organization } = view
  const path = `/api/v2/organizations/${organization.name}/workspaces/${row.name}`
  return workspaceType.of({
    id: row.id,
    attributes: { ...settingAttributes(view), ...computedAttributes(view) },
    relationships: relationships(view),
    links: { self: path, 'self-html': `/app/${organization.name}/workspaces/${row.name}` },
  })
}

const settingAttributes = (view: WorkspaceView) => {
  const { row } = view
  const executionMode = executionModeOf(view)
  const isOwnMode = row.executionMode !== null
  return {
    name: row.name,
    description: row.description,
    'allow-destroy-plan': row.allowDestroyPlan,
    'assessments-enabled': row.assessmentsEnabled,
    'auto-apply': row.autoApply,
    'auto-apply-run-trigger': row.autoApplyRunTrigger,
    'auto-destroy-at': row.autoDestroyAt,
    'auto-destroy-activity-duration': row.autoDestroyActivityDuration,
    'execution-mode': executionMode,
    operations: executionMode !== 'local',
    'setting-overwrites': { 'execution-mode': isOwnMode, 'agent-pool': isOwnMode },
    engine: row.engine,
    'file-triggers-enabled': row.fileTriggersEnabled,
    'global-remote-state': row.globalRemoteState,
    'project-remote-state': row.projectRemoteState,
    'inherits-project-auto-destroy': row.inheritsProjectAutoDestroy,
    'queue-all-runs': row.queueAllRuns,
    'speculative-enabled': row.speculativeEnabled,
    'structured-run-output-enabled': row.structuredRunOutputEnabled,
    'terraform-version': row.terraformVersion,
    'trigger-prefixes': row.triggerPrefixes,
    'trigger-patterns': row.triggerPatterns,
    'working-directory': row.workingDirectory,
    'vcs-repo': null,
    'hyok-enabled': false,
  }
}

const computedAttributes = ({ row, organization, permissions, bindings }: WorkspaceView) => ({
  actions: { 'is-destroyable': row.allowDestroyPlan || row.resourceCount === 0 },
  'can-queue-destroy-plan': row.allowDestroyPlan,
  'created-at': row.createdAt,
  'updated-at': row.updatedAt,
  'latest-change-at': row.latestChangeAt,
  environment: 'default',
  'migration-environment': '',
  locked: row.lockedByKind !== null,
  'locked-reason': row.lockedReason,
  'no-code-upgrade-available': null,
  permissions: permissionsObject(permissions, organization),
  source: row.source,
  'source-name': row.sourceName,
  'source-url': row.sourceUrl,
  'source-module-id': null,
  'resource-count': row.resourceCount,
  'apply-duration-average': row.runFigures?.applyAverageMs ?? null,
  'plan-duration-average': row.runFigures?.planAverageMs ?? null,
  'policy-check-failures': row.runFigures === null ? null : 0,
  'run-failures': row.runFigures?.failures ?? null,
  'workspace-kpis-runs-count': row.runFigures?.runs ?? null,
  'tag-names': bindings.map(({ key }) => key),
  'auto-destroy-status': null,
  'last-assessment-result-at': null,
  'vcs-repo-identifier': null,
})

const lockTypes: Record<LockedBy['kind'], string> = { user: 'users', team: 'teams', run: 'runs' }

const linkLockHolder = (row: WorkspaceView['row']): Relationship => {
  const holder = lockedByOf(row)
  if (holder === undefined) return linkOne('users', null)
  const type = lockTypes[holder.kind]
  return linkOne(type, holder.id, `/api/v2/${type}/${holder.id}`)
}

const relationships = ({ row, organization, bindings, effectiveBindings, variableIds, outputIds }: WorkspaceView) => {
  const path = `/api/v2/workspaces/${row.id}`
  const bindingIds = bindings.map(({ id }) => id)
  const effectiveIds = effectiveBindings.map((binding) => ('projectId' in binding ? inheritedIdOf(binding.id) : binding.id))
  return {
    organization: linkOne('organizations', organization.name),
    project: linkOne('projects', row.projectId),
    'current-run': linkOne('runs', row.currentRunId),
    'latest-run': linkOne('runs', row.currentRunId),
    'current-state-version': linkOne('state-versions', row.currentStateVersionId, `${path}/current-state-version`),
    'current-configuration-version': linkOne('configuration-versions', row.currentConfigurationVersionId),
    'current-assessment-result': linkOne('assessment-results', null),
    'locked-by': linkLockHolder(row),
    'agent-pool': linkOne('agent-pools', null),
    'ssh-key': linkOne('ssh-keys', row.sshKeyId),
    'data-retention-policy': linkRetentionPolicy(row.retention),
    outputs: linkMany('workspace-outputs', outputIds),
    vars: linkMany('vars', variableIds),
    'tag-bindings': linkMany('tag-bindings', bindingIds, `${path}/tag-bindings`),
    'effective-tag-bindings': linkMany('effective-tag-bindings', effectiveIds, `${path}/effective-tag-bindings`),
    'remote-state-consumers': linkOnly(`${path}/relationships/remote-state-consumers`),
  }
}
