import type { RunDeps } from './deps.ts'
import { listWorkspacesWithPendingRuns } from './queries.ts'
import { advanceQueue } from './transition.ts'

/** Looks at the queue of one workspace in a transaction of its own. A workspace that is gone is none. */
export const advanceWorkspace = (d: RunDeps, workspaceId: string): Promise<void> =>
  d.db.transaction((tx) => advanceQueue(d, tx, workspaceId))

/** The safety net below the wake-ups: looks at every queue in which a run waits. */
export const advanceAllQueues = async (d: RunDeps): Promise<void> => {
  for (const workspaceId of await listWorkspacesWithPendingRuns(d.db)) await advanceWorkspace(d, workspaceId)
}
