import { findConfigurationVersion, findNewestConfigurationVersion } from './configuration-queries.ts'
import { saveWorkspace } from './queries.ts'
import type { RunRow, RunTx } from './run.ts'

/** A provisional configuration whose saved plan was applied becomes the workspace's current one, unless there is a newer one. */
export const adoptConfiguration = async (tx: RunTx, { workspaceId, configurationVersionId }: RunRow): Promise<void> => {
  const used = await findConfigurationVersion(tx, configurationVersionId)
  if (used === undefined || !used.isProvisional || used.workspaceId !== workspaceId) return
  const newest = await findNewestConfigurationVersion(tx, workspaceId)
  if (newest === undefined || newest.position < used.position) {
    await saveWorkspace(tx, workspaceId, { currentConfigurationVersionId: used.id })
  }
}
