import type { Kit } from '../platform/db/kit.ts'
import type { WorkspaceTables } from '../workspaces/tables.ts'

export type StateResource = {
  name: string
  /** `null_resource`; data sources are prefixed `data.`. */
  type: string
  count: number
  /** `root`, or the path without the `module.` prefixes. */
  module: string
  /** `provider["registry.terraform.io/hashicorp/null"]`. */
  provider: string
  /** JSON text of the index key of each instance, null without count and for_each. */
  keys: (string | null)[]
}

/** Of versions whose files are marked for deletion, or gone. */
export type BackingDataStatus = 'backing_data_soft_deleted' | 'backing_data_permanently_deleted'

export const stateTables = (k: Kit, ref: Pick<WorkspaceTables, 'workspaces'>) => {
  const stateVersions = k.table(
    'state_versions',
    {
      id: k.text('id').notNull(),
      workspaceId: k.text('workspace_id').notNull(),
      runId: k.text('run_id'),
      createdByUserId: k.text('created_by_user_id'),
      /** As declared by the uploader; the file's own serial may differ. */
      serial: k.int('serial').notNull(),
      lineage: k.text('lineage').notNull(),
      /** Lower-case hex of the raw bytes, as declared and checked. */
      md5: k.text('md5').notNull(),
      status: k.text('status').$type<'pending' | 'finalized' | 'discarded' | BackingDataStatus>().notNull(),
      /** True for a snapshot taken while the lock is held; the newest becomes current at unlock. */
      isIntermediate: k.bool('is_intermediate').notNull(),
      /** Key in the blob store: sha256 of the raw bytes. Null while pending. */
      blobKey: k.text('blob_key'),
      sizeBytes: k.int('size_bytes'),
      jsonBlobKey: k.text('json_blob_key'),
      terraformVersion: k.text('terraform_version'),
      formatVersion: k.int('format_version'),
      areResourcesProcessed: k.bool('are_resources_processed').notNull(),
      resources: k.json<StateResource[]>('resources'),
      modules: k.json<Record<string, Record<string, number>>>('modules'),
      providers: k.json<Record<string, Record<string, number>>>('providers'),
      billableCount: k.int('billable_count'),
      managedCount: k.int('managed_count'),
      createdAt: k.time('created_at').notNull(),
      finalizedAt: k.time('finalized_at'),
      /** When its files were marked for deletion; null when they are not. */
      backingDataDeletedAt: k.time('backing_data_deleted_at'),
      /** Order of creation within the installation's life, for `newest first`. */
      position: k.int('position').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'state_versions_pk', columns: [t.id] }),
      k.index('state_versions_workspace_idx').on(t.workspaceId, t.position),
      k.index('state_versions_run_idx').on(t.runId),
      k.index('state_versions_deleted_idx').on(t.backingDataDeletedAt),
      k
        .foreignKey({ name: 'state_versions_workspace_fk', columns: [t.workspaceId], foreignColumns: [ref.workspaces.id] })
        .onDelete('cascade'),
    ],
  )
  const stateOutputs = k.table(
    'state_outputs',
    {
      id: k.text('id').notNull(),
      stateVersionId: k.text('state_version_id').notNull(),
      name: k.text('name').notNull(),
      isSensitive: k.bool('is_sensitive').notNull(),
      /** string, number, boolean, array or object. */
      type: k.text('type').notNull(),
      /** Terraform's type expression, JSON text. */
      detailedType: k.text('detailed_type'),
      /** JSON text of the value exactly as in the state, sealed. */
      valueSealed: k.bytes('value_sealed').notNull(),
      position: k.int('position').notNull(),
    },
    (t) => [
      k.primaryKey({ name: 'state_outputs_pk', columns: [t.id] }),
      k.uniqueIndex('state_outputs_name_key').on(t.stateVersionId, t.name),
      k
        .foreignKey({ name: 'state_outputs_version_fk', columns: [t.stateVersionId], foreignColumns: [stateVersions.id] })
        .onDelete('cascade'),
    ],
  )
  return { stateVersions, stateOutputs }
}

export type StateTables = ReturnType<typeof stateTables>
