import type { Kit } from '../platform/db/kit.ts'
import type { EngineName } from '../platform/engine-name.ts'
import type { BackingDataStatus } from '../state/tables.ts'
import type { WorkspaceTables } from '../workspaces/tables.ts'
import type { PhaseStatus, RunStatus } from './statuses.ts'

export const runTables = (k: Kit, ref: Pick<WorkspaceTables, 'workspaces'>) => {
  const configurationVersions = k.table(
    'configuration_versions',
    {
      id: k.text('id').notNull(),
      workspaceId: k.text('workspace_id').notNull(),
      status: k.text('status').$type<'pending' | 'uploaded' | 'errored' | 'archived' | BackingDataStatus>().notNull(),
      source: k.text('source').notNull(),
      isSpeculative: k.bool('is_speculative').notNull(),
      isProvisional: k.bool('is_provisional').notNull(),
      autoQueueRuns: k.bool('auto_queue_runs').notNull(),
      /** Whether its maker may apply: what a run that the upload starts may do by itself. Null: made before this was kept, as true. */
      mayAutoApply: k.bool('may_auto_apply'),
      error: k.text('error'),
      errorMessage: k.text('error_message'),
      blobKey: k.text('blob_key'),
      sizeBytes: k.int('size_bytes'),
      /** RFC 3339 by key of the wire, e.g. `finished-at`. */
      statusTimestamps: k.json<Record<string, string>>('status_timestamps').notNull(),
      /** When its archive was marked for deletion; null when it is not. */
      backingDataDeletedAt: k.time('backing_data_deleted_at'),
      createdAt: k.time('created_at').notNull(),
      position: k.int('position').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'configuration_versions_pk', columns: [t.id] }),
      k.index('configuration_versions_workspace_idx').on(t.workspaceId, t.position),
      k.index('configuration_versions_deleted_idx').on(t.backingDataDeletedAt),
      k
        .foreignKey({ name: 'configuration_versions_workspace_fk', columns: [t.workspaceId], foreignColumns: [ref.workspaces.id] })
        .onDelete('cascade'),
    ],
  )
  const runs = k.table(
    'runs',
    {
      id: k.text('id').notNull(),
      organizationId: k.text('organization_id').notNull(),
      workspaceId: k.text('workspace_id').notNull(),
      configurationVersionId: k.text('configuration_version_id').notNull(),
      /** Order of creation in the workspace: the queue. */
      position: k.int('position').notNull(),
      status: k.text('status').$type<RunStatus>().notNull(),
      /** True until the run is in a final status; what the scheduler and the list of active runs look for. */
      isOpen: k.bool('is_open').notNull(),
      message: k.text('message').notNull(),
      source: k.text('source').notNull(),
      triggerReason: k.text('trigger_reason').notNull(),
      isPlanOnly: k.bool('is_plan_only').notNull(),
      isDestroy: k.bool('is_destroy').notNull(),
      refresh: k.bool('refresh').notNull(),
      isRefreshOnly: k.bool('is_refresh_only').notNull(),
      isSavePlan: k.bool('is_save_plan').notNull(),
      autoApply: k.bool('auto_apply').notNull(),
      /** Whether its maker may apply; else a person decides, whatever `autoApply` says. Null: made before this was kept, as true. */
      mayAutoApply: k.bool('may_auto_apply'),
      allowEmptyApply: k.bool('allow_empty_apply').notNull(),
      allowConfigGeneration: k.bool('allow_config_generation').notNull(),
      isDebugging: k.bool('is_debugging').notNull(),
      targetAddrs: k.json<string[]>('target_addrs'),
      replaceAddrs: k.json<string[]>('replace_addrs'),
      invokeActionAddrs: k.json<string[]>('invoke_action_addrs'),
      policyPaths: k.json<string[]>('policy_paths'),
      /** Exact version, resolved when the run was created. */
      engine: k.text('engine').$type<EngineName>().notNull().default('terraform'),
      terraformVersion: k.text('terraform_version').notNull(),
      /** `json` (structured run output) or `text`, fixed when the run was created. */
      logFormat: k.text('log_format').$type<'json' | 'text'>().notNull(),
      hasChanges: k.bool('has_changes').notNull(),
      statusTimestamps: k.json<Record<string, string>>('status_timestamps').notNull(),
      /** Run variables as sent, JSON text of [{key, value}], sealed. */
      variablesSealed: k.bytes('variables_sealed').notNull(),
      /** Workspace variables as they were when the run was created, JSON text, sealed. */
      pinnedVariablesSealed: k.bytes('pinned_variables_sealed').notNull(),
      planId: k.text('plan_id').notNull(),
      applyId: k.text('apply_id').notNull(),
      /** State that the plan was made on; null when the workspace had none. */
      inputStateVersionId: k.text('input_state_version_id'),
      cancelRequestedAt: k.time('cancel_requested_at'),
      forceCancelAvailableAt: k.time('force_cancel_available_at'),
      forceCanceledAt: k.time('force_canceled_at'),
      canceledAt: k.time('canceled_at'),
      createdByUserId: k.text('created_by_user_id'),
      confirmedByUserId: k.text('confirmed_by_user_id'),
      createdAt: k.time('created_at').notNull(),
      updatedAt: k.time('updated_at').notNull(),
      version: k.int('version').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'runs_pk', columns: [t.id] }),
      k.uniqueIndex('runs_position_key').on(t.workspaceId, t.position),
      k.index('runs_organization_idx').on(t.organizationId, t.createdAt),
      k.index('runs_open_idx').on(t.isOpen, t.workspaceId, t.position),
      k.index('runs_plan_idx').on(t.planId),
      k.index('runs_apply_idx').on(t.applyId),
      k.index('runs_configuration_idx').on(t.configurationVersionId),
      k.foreignKey({ name: 'runs_workspace_fk', columns: [t.workspaceId], foreignColumns: [ref.workspaces.id] }).onDelete('cascade'),
    ],
  )
  /** Plans and applies: the two halves of a run. `id` is `plan-…` or `apply-…`. */
  const phases = k.table(
    'phases',
    {
      id: k.text('id').notNull(),
      runId: k.text('run_id').notNull(),
      kind: k.text('kind').$type<'plan' | 'apply'>().notNull(),
      status: k.text('status').$type<PhaseStatus>().notNull(),
      statusTimestamps: k.json<Record<string, string>>('status_timestamps').notNull(),
      additions: k.int('additions'),
      changes: k.int('changes'),
      destructions: k.int('destructions'),
      imports: k.int('imports'),
      hasGeneratedConfiguration: k.bool('has_generated_configuration').notNull(),
      /** Artifacts in the blob store. Plans only. */
      planBlobKey: k.text('plan_blob_key'),
      lockFileBlobKey: k.text('lock_file_blob_key'),
      snapshotBlobKey: k.text('snapshot_blob_key'),
      planJsonBlobKey: k.text('plan_json_blob_key'),
      redactedJsonBlobKey: k.text('redacted_json_blob_key'),
      schemasBlobKey: k.text('schemas_blob_key'),
      /** The last state that terraform wrote and that could not become the workspace's. Applies only. */
      erroredStateBlobKey: k.text('errored_state_blob_key'),
      /** The log: bytes in `log_chunks` while it grows, one blob some time after the phase has ended. */
      logBytes: k.int('log_bytes').notNull(),
      logBlobKey: k.text('log_blob_key'),
      createdAt: k.time('created_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'phases_pk', columns: [t.id] }),
      k.uniqueIndex('phases_run_key').on(t.runId, t.kind),
      k.foreignKey({ name: 'phases_run_fk', columns: [t.runId], foreignColumns: [runs.id] }).onDelete('cascade'),
    ],
  )
  const logChunks = k.table(
    'log_chunks',
    { phaseId: k.text('phase_id').notNull(), offset: k.int('offset').notNull(), bytes: k.bytes('bytes').notNull() },
    (t) => [
      k.primaryKey({ name: 'log_chunks_pk', columns: [t.phaseId, t.offset] }),
      k.foreignKey({ name: 'log_chunks_phase_fk', columns: [t.phaseId], foreignColumns: [phases.id] }).onDelete('cascade'),
    ],
  )
  const runEvents = k.table(
    'run_events',
    {
      id: k.text('id').notNull(),
      runId: k.text('run_id').notNull(),
      action: k.text('action').notNull(),
      description: k.text('description'),
      actorUserId: k.text('actor_user_id'),
      commentId: k.text('comment_id'),
      position: k.int('position').notNull(),
      createdAt: k.time('created_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'run_events_pk', columns: [t.id] }),
      k.uniqueIndex('run_events_position_key').on(t.runId, t.position),
      k.foreignKey({ name: 'run_events_run_fk', columns: [t.runId], foreignColumns: [runs.id] }).onDelete('cascade'),
    ],
  )
  const comments = k.table(
    'comments',
    {
      id: k.text('id').notNull(),
      runId: k.text('run_id').notNull(),
      body: k.text('body').notNull(),
      authorUserId: k.text('author_user_id'),
      createdAt: k.time('created_at').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'comments_pk', columns: [t.id] }),
      k.index('comments_run_idx').on(t.runId),
      k.foreignKey({ name: 'comments_run_fk', columns: [t.runId], foreignColumns: [runs.id] }).onDelete('cascade'),
    ],
  )
  return { configurationVersions, runs, phases, logChunks, runEvents, comments }
}

export type RunTables = ReturnType<typeof runTables>
