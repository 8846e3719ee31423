import type { StateOf } from '../workspaces/index.ts'
import { findCurrent, findNewest, listOutputIds } from './queries.ts'
import type { PromoteDeps } from './snapshots/promote.ts'
import { promoteOnUnlock } from './snapshots/promote-on-unlock.ts'
import type { StateTx } from './state-version.ts'

/** The port that workspaces declare: what locks, deletions and workspace resources need to know of states. */
export const makeStateOf = (deps: PromoteDeps) => {
  const port = {
    onUnlock: promoteOnUnlock(deps),
    hasPendingStateVersion: async (tx: StateTx, workspaceId: string) => (await findNewest(tx, workspaceId))?.status === 'pending',
    isBeingProcessed: async (tx: StateTx, workspaceId: string) => (await findCurrent(tx, workspaceId))?.areResourcesProcessed === false,
    outputIds: listOutputIds,
  }
  return port satisfies StateOf
}
