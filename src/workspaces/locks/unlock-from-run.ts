import { lockWorkspaceRow } from '../queries.ts'
import { lockedByOf, type WorkspaceDeps, type WorkspaceTx } from '../workspace.ts'
import { releaseLock } from './release-lock.ts'

/** Gives back the lock of a run that has ended; nothing happens when the run does not hold it. */
export const unlockFromRun =
  (deps: Pick<WorkspaceDeps, 'outbox' | 'ports'>) =>
  async (tx: WorkspaceTx, workspaceId: string, runId: string): Promise<void> => {
    const row = await lockWorkspaceRow(tx, workspaceId)
    const holder = row === undefined ? undefined : lockedByOf(row)
    if (row === undefined || holder?.kind !== 'run' || holder.id !== runId) return
    await releaseLock(deps, tx, row)
  }
