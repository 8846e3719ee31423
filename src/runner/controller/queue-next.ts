import { errorMessage } from '../../platform/errors.ts'
import { advanceWorkspace, listWaitingRuns } from '../../runs/index.ts'
import { countAtWork } from './claim-queries.ts'
import { orderOfService } from './decide-next-job.ts'
import type { ControllerDeps } from './deps.ts'

/** There is a runner that no job waits for: lets the run go on whose turn it is, in the order of service. False when none waits. */
export const queueNext = async (
  { db, runs, log }: Pick<ControllerDeps, 'db' | 'runs' | 'log'>,
  servedAt: ReadonlyMap<string, number>,
): Promise<boolean> => {
  const waiting = await listWaitingRuns(runs.db)
  if (waiting.length === 0) return false
  for (const { workspaceId } of orderOfService(waiting, await countAtWork(db), servedAt)) {
    try {
      // Another server may have been faster.
      if ((await advanceWorkspace(runs, workspaceId, 1)) > 0) return true
    } catch (error) {
      log.error({ workspaceId, error: errorMessage(error) }, 'the queue of a workspace could not be advanced')
    }
  }
  return false
}
