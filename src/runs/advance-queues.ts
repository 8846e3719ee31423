import { errorMessage } from '../platform/errors.ts'
import type { RunDeps } from './deps.ts'
import { listWaitingRuns } from './queue-queries.ts'
import { advanceQueue } from './transition.ts'

/**
 * Looks at the queue of one workspace in a transaction of its own; how many runs went on. A workspace that is gone has none. See advanceQueue.
 * Nobody was promised it: what a power cut undoes is done again.
 */
export const advanceWorkspace = (d: RunDeps, workspaceId: string, room?: number): Promise<number> =>
  d.db.transaction((tx) => advanceQueue(d, tx, workspaceId, room), { isLazy: true })

/**
 * The safety net below the wake-ups: looks at the queues in which a run that waits could start, while there is room. One that fails does not
 * hold up the others.
 */
export const advanceAllQueues = async (d: RunDeps): Promise<void> => {
  for (const workspaceId of new Set((await listWaitingRuns(d.db)).map((waiting) => waiting.workspaceId))) {
    const room = await d.executor.room(d.db)
    if (room === 0) return
    await advanceWorkspace(d, workspaceId, room).catch((error: unknown) =>
      d.log.error({ workspaceId, error: errorMessage(error) }, 'the queue of a workspace could not be advanced'),
    )
  }
}
