import { lockWorkspaceRow } from '../../workspaces/index.ts'
import { findNewestSnapshot } from '../queries.ts'
import type { StateTx } from '../state-version.ts'
import { type PromoteDeps, promote } from './promote.ts'

/**
 * The last committed snapshot of the run becomes current: at its success, failure or loss alike. Its id; undefined when the run wrote no
 * state. Outputs and resources follow within moments, or are there at once after `prepareRunState`.
 */
export const promoteRunState =
  (deps: PromoteDeps) =>
  async (tx: StateTx, workspaceId: string, runId: string): Promise<string | undefined> => {
    const workspace = await lockWorkspaceRow(tx, workspaceId)
    const snapshot = workspace === undefined ? undefined : await findNewestSnapshot(tx, workspaceId, runId)
    if (workspace === undefined || snapshot === undefined) return undefined
    await promote(deps, tx, workspace, snapshot)
    return snapshot.id
  }
