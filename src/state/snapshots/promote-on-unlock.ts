import { lockWorkspaceRow } from '../../workspaces/index.ts'
import { discardSnapshots, findNewestSnapshot } from '../queries.ts'
import type { StateTx } from '../state-version.ts'
import { type PromoteDeps, promote } from './promote.ts'

/** The lock goes: its newest finalized snapshot becomes current, everything else that was begun under it is discarded. */
export const promoteOnUnlock =
  (deps: PromoteDeps) =>
  async (tx: StateTx, workspaceId: string): Promise<void> => {
    const workspace = await lockWorkspaceRow(tx, workspaceId)
    if (workspace === undefined) return
    const snapshot = await findNewestSnapshot(tx, workspaceId)
    if (snapshot === undefined) await discardSnapshots(tx, workspaceId)
    else await promote(deps, tx, workspace, snapshot)
  }
