import type { OrganizationTables, RetentionPolicy, WorkspaceAccess } from '../organizations/tables.ts'
import type { Kit } from '../platform/db/kit.ts'
import type { EngineName } from '../platform/engine-name.ts'

export type LockHolderKind = 'user' | 'team' | 'run'

/** Over the last runs of a workspace that ended applied or errored. Averages are null when none of them came so far. */
export type RunFigures = { runs: number; failures: number; planAverageMs: number | null; applyAverageMs: number | null }

/** What a variable is, whoever it belongs to. */
export const variableColumns = (k: Kit) => ({
  key: k.text('key').notNull(),
  category: k.text('category').$type<'terraform' | 'env'>().notNull(),
  /** Sealed, sensitive or not: see platform/secrets/envelope.ts. */
  valueSealed: k.bytes('value_sealed').notNull(),
  isHcl: k.bool('is_hcl').notNull(),
  isSensitive: k.bool('is_sensitive').notNull(),
  description: k.text('description').notNull(),
  versionId: k.text('version_id').notNull(),
  createdAt: k.time('created_at').notNull(),
})

export const workspaceTables = (k: Kit, ref: Pick<OrganizationTables, 'organizations' | 'projects' | 'teams'>) => {
  const workspaces = k.table(
    'workspaces',
    {
      id: k.text('id').notNull(),
      organizationId: k.text('organization_id').notNull(),
      projectId: k.text('project_id').notNull(),
      name: k.text('name').notNull(),
      nameKey: k.text('name_key').notNull(),
      description: k.text('description'),
      /** Null: inherited from the organization. */
      executionMode: k.text('execution_mode').$type<'remote' | 'local'>(),
      /** Who executes its runs; `terraformVersion` is a version of it. */
      engine: k.text('engine').$type<EngineName>().notNull().default('terraform'),
      terraformVersion: k.text('terraform_version').notNull(),
      workingDirectory: k.text('working_directory').notNull(),
      autoApply: k.bool('auto_apply').notNull(),
      autoApplyRunTrigger: k.bool('auto_apply_run_trigger').notNull(),
      allowDestroyPlan: k.bool('allow_destroy_plan').notNull(),
      assessmentsEnabled: k.bool('assessments_enabled').notNull(),
      fileTriggersEnabled: k.bool('file_triggers_enabled').notNull(),
      globalRemoteState: k.bool('global_remote_state').notNull(),
      projectRemoteState: k.bool('project_remote_state').notNull(),
      queueAllRuns: k.bool('queue_all_runs').notNull(),
      speculativeEnabled: k.bool('speculative_enabled').notNull(),
      structuredRunOutputEnabled: k.bool('structured_run_output_enabled').notNull(),
      inheritsProjectAutoDestroy: k.bool('inherits_project_auto_destroy').notNull(),
      autoDestroyAt: k.time('auto_destroy_at'),
      autoDestroyActivityDuration: k.text('auto_destroy_activity_duration'),
      triggerPrefixes: k.json<string[]>('trigger_prefixes').notNull(),
      triggerPatterns: k.json<string[]>('trigger_patterns').notNull(),
      source: k.text('source').notNull(),
      sourceName: k.text('source_name'),
      sourceUrl: k.text('source_url'),
      lockedByKind: k.text('locked_by_kind').$type<LockHolderKind>(),
      lockedById: k.text('locked_by_id'),
      lockedReason: k.text('locked_reason').notNull(),
      /** Back references of later slices: ids without a foreign key. */
      currentRunId: k.text('current_run_id'),
      currentStateVersionId: k.text('current_state_version_id'),
      currentConfigurationVersionId: k.text('current_configuration_version_id'),
      sshKeyId: k.text('ssh_key_id'),
      /** Managed resource instances in the current state. */
      resourceCount: k.int('resource_count').notNull(),
      /** Null until a run has ended; written by the slice of runs. */
      runFigures: k.json<RunFigures>('run_figures'),
      /** Null: that of the organization. */
      retention: k.json<RetentionPolicy>('retention'),
      createdAt: k.time('created_at').notNull(),
      /** Moves when settings change; not on locks, runs or states. */
      updatedAt: k.time('updated_at').notNull(),
      latestChangeAt: k.time('latest_change_at').notNull(),
      version: k.int('version').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'workspaces_pk', columns: [t.id] }),
      k.uniqueIndex('workspaces_name_key').on(t.organizationId, t.nameKey),
      k.index('workspaces_project_idx').on(t.projectId, t.nameKey),
      k.index('workspaces_created_idx').on(t.organizationId, t.createdAt, t.id),
      k.index('workspaces_latest_change_idx').on(t.organizationId, t.latestChangeAt),
      k
        .foreignKey({ name: 'workspaces_organization_fk', columns: [t.organizationId], foreignColumns: [ref.organizations.id] })
        .onDelete('cascade'),
      k.foreignKey({ name: 'workspaces_project_fk', columns: [t.projectId], foreignColumns: [ref.projects.id] }),
    ],
  )
  /** Flat tags of an organization: they exist while a workspace carries them. */
  const tags = k.table(
    'tags',
    { id: k.text('id').notNull(), organizationId: k.text('organization_id').notNull(), name: k.text('name').notNull() },
    (t) => [
      k.primaryKey({ name: 'tags_pk', columns: [t.id] }),
      k.uniqueIndex('tags_name_key').on(t.organizationId, t.name),
      k
        .foreignKey({ name: 'tags_organization_fk', columns: [t.organizationId], foreignColumns: [ref.organizations.id] })
        .onDelete('cascade'),
    ],
  )
  /** Key/value tags of a workspace; a flat tag is a binding with an empty value. `position` keeps the order of adding. */
  const tagBindings = k.table(
    'tag_bindings',
    {
      id: k.text('id').notNull(),
      workspaceId: k.text('workspace_id').notNull(),
      key: k.text('key').notNull(),
      value: k.text('value').notNull(),
      position: k.int('position').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'tag_bindings_pk', columns: [t.id] }),
      k.uniqueIndex('tag_bindings_key').on(t.workspaceId, t.key),
      k.index('tag_bindings_lookup_idx').on(t.key, t.value, t.workspaceId),
      k.foreignKey({ name: 'tag_bindings_workspace_fk', columns: [t.workspaceId], foreignColumns: [workspaces.id] }).onDelete('cascade'),
    ],
  )
  const variables = k.table(
    'variables',
    {
      id: k.text('id').notNull(),
      workspaceId: k.text('workspace_id').notNull(),
      ...variableColumns(k),
    },
    (t) => [
      k.primaryKey({ name: 'variables_pk', columns: [t.id] }),
      k.uniqueIndex('variables_key').on(t.workspaceId, t.key, t.category),
      k.foreignKey({ name: 'variables_workspace_fk', columns: [t.workspaceId], foreignColumns: [workspaces.id] }).onDelete('cascade'),
    ],
  )
  const remoteStateConsumers = k.table(
    'remote_state_consumers',
    { workspaceId: k.text('workspace_id').notNull(), consumerId: k.text('consumer_id').notNull() },
    (t) => [
      k.primaryKey({ name: 'remote_state_consumers_pk', columns: [t.workspaceId, t.consumerId] }),
      k.index('remote_state_consumers_consumer_idx').on(t.consumerId),
      k
        .foreignKey({ name: 'remote_state_consumers_workspace_fk', columns: [t.workspaceId], foreignColumns: [workspaces.id] })
        .onDelete('cascade'),
      k
        .foreignKey({ name: 'remote_state_consumers_consumer_fk', columns: [t.consumerId], foreignColumns: [workspaces.id] })
        .onDelete('cascade'),
    ],
  )
  /** What teams may do on single workspaces. */
  const teamWorkspaces = k.table(
    'team_workspaces',
    {
      id: k.text('id').notNull(),
      teamId: k.text('team_id').notNull(),
      workspaceId: k.text('workspace_id').notNull(),
      access: k.json<WorkspaceAccess>('access').notNull(),
      createdAt: k.time('created_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'team_workspaces_pk', columns: [t.id] }),
      k.uniqueIndex('team_workspaces_key').on(t.teamId, t.workspaceId),
      k.index('team_workspaces_workspace_idx').on(t.workspaceId),
      k.foreignKey({ name: 'team_workspaces_team_fk', columns: [t.teamId], foreignColumns: [ref.teams.id] }).onDelete('cascade'),
      k.foreignKey({ name: 'team_workspaces_workspace_fk', columns: [t.workspaceId], foreignColumns: [workspaces.id] }).onDelete('cascade'),
    ],
  )
  return { workspaces, tags, tagBindings, variables, remoteStateConsumers, teamWorkspaces }
}

export type WorkspaceTables = ReturnType<typeof workspaceTables>
