import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { type BackingDataAction, decideBackingData } from '../../state/index.ts'
import { findConfigurationVersion, hasRunOf, lockConfigurationVersion, saveConfigurationVersion } from '../configuration-queries.ts'
import { defaultConfigurationId } from '../default-configuration.ts'
import type { RunDeps } from '../deps.ts'
import { findWorkspace, lockWorkspace } from '../queries.ts'
import type { ConfigurationVersionRow, RunTx } from '../run.ts'

/** Marks the stored archive of a version for deletion, takes that back, or deletes it for good. For owners. Errors: NOT_FOUND, BAD_REQUEST. */
export const changeConfigurationData =
  (d: Pick<RunDeps, 'db' | 'clock' | 'authorize'>) =>
  async (ctx: Ctx, id: string, action: BackingDataAction): Promise<void> => {
    const seen = await findConfigurationVersion(d.db, id)
    const workspace = seen === undefined ? undefined : await findWorkspace(d.db, seen.workspaceId)
    if (workspace === undefined) throw notFound()
    await d.authorize(ctx, 'organization:update', { organizationId: workspace.organizationId, workspaceId: workspace.id })
    await d.db.transaction(async (tx) => {
      const { currentConfigurationVersionId } = await lockWorkspace(tx, workspace.id)
      const row = await lockConfigurationVersion(tx, id)
      if (row === undefined) throw notFound()
      const keptBecause = await whyKept(tx, row, currentConfigurationVersionId)
      const status = decideBackingData<ConfigurationVersionRow['status']>(action, { status: row.status, stored: 'uploaded', keptBecause })
      const isGone = status === 'backing_data_permanently_deleted'
      await saveConfigurationVersion(tx, id, {
        status,
        backingDataDeletedAt: status === 'backing_data_soft_deleted' ? d.clock.now() : null,
        ...(isGone ? { blobKey: null, sizeBytes: null } : {}),
      })
    })
  }

const whyKept = async (tx: RunTx, { id, workspaceId }: ConfigurationVersionRow, currentId: string | null): Promise<string | undefined> => {
  if (id === currentId || id === (await defaultConfigurationId(tx, workspaceId))) return 'is current'
  return (await hasRunOf(tx, id, { isOpen: true })) ? 'is used by a run in progress' : undefined
}
