import { errorMessage } from '../platform/errors.ts'
import type { RunDeps } from './deps.ts'
import { listWorkspacesToAdvance } from './queue-queries.ts'
import { advanceQueue } from './transition.ts'

/** Looks at the queue of one workspace in a transaction of its own. A workspace that is gone is none. */
export const advanceWorkspace = (d: RunDeps, workspaceId: string): Promise<void> =>
  d.db.transaction((tx) => advanceQueue(d, tx, workspaceId))

/** The safety net below the wake-ups: looks at every queue in which a run that waits could start. One that fails does not hold up the others. */
export const advanceAllQueues = async (d: RunDeps): Promise<void> => {
  for (const workspaceId of await listWorkspacesToAdvance(d.db)) {
    await advanceWorkspace(d, workspaceId).catch((error: unknown) =>
      d.log.error({ workspaceId, error: errorMessage(error) }, 'the queue of a workspace could not be advanced'),
    )
  }
}
