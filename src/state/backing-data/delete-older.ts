import { lockWorkspaceRow } from '../../workspaces/index.ts'
import type { StateDeps } from '../state-version.ts'
import { forgetDiscarded, softDeleteOlder } from './queries.ts'

/**
 * Marks the files of all versions of the workspace that were made before `before` for deletion, but the current one and those that a run
 * in progress began with; how many. Files of discarded versions are forgotten at once.
 */
export const deleteOlder =
  ({ db, clock, runs }: Pick<StateDeps, 'db' | 'clock' | 'runs'>) =>
  (workspaceId: string, before: Date): Promise<number> =>
    db.transaction(async (tx) => {
      const workspace = await lockWorkspaceRow(tx, workspaceId)
      if (workspace === undefined) return 0
      const current = workspace.currentStateVersionId
      const kept = [...(current === null ? [] : [current]), ...(await runs.inputsOfOpenRuns(tx, workspaceId))]
      await forgetDiscarded(tx, workspaceId, before)
      return softDeleteOlder(tx, { workspaceId, before, kept, now: clock.now() })
    })
