import { defaultConfigurationId } from '../default-configuration.ts'
import type { RunDeps } from '../deps.ts'
import { findWorkspace, lockWorkspace } from '../queries.ts'
import { softDeleteOlder } from './queries.ts'

/**
 * Marks the archives of all configuration versions of the workspace that were made before `before` for deletion, but the current one, the
 * one that a new run would use, and those of runs in progress; how many.
 */
export const deleteOlderConfigurations =
  ({ db, clock }: Pick<RunDeps, 'db' | 'clock'>) =>
  (workspaceId: string, before: Date): Promise<number> =>
    db.transaction(async (tx) => {
      if ((await findWorkspace(tx, workspaceId)) === undefined) return 0
      const { currentConfigurationVersionId } = await lockWorkspace(tx, workspaceId)
      const latest = await defaultConfigurationId(tx, workspaceId)
      const kept = [currentConfigurationVersionId, latest].filter((id) => id !== null && id !== undefined)
      return softDeleteOlder(tx, { workspaceId, before, kept, now: clock.now() })
    })
