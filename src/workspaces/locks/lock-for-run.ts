import { conflict, notFound } from '../../platform/errors.ts'
import { lockWorkspaceRow } from '../queries.ts'
import { lockedByOf, type WorkspaceDeps, type WorkspaceTx } from '../workspace.ts'
import { describeLock } from './describe-lock.ts'
import { takeLock } from './take-lock.ts'

/** Locks the workspace for a run; nothing happens when the run has the lock already. CONFLICT when somebody else has it. */
export const lockForRun =
  (deps: Pick<WorkspaceDeps, 'outbox'>) =>
  async (tx: WorkspaceTx, workspaceId: string, runId: string): Promise<void> => {
    const row = await lockWorkspaceRow(tx, workspaceId)
    if (row === undefined) throw notFound()
    const holder = lockedByOf(row)
    if (holder?.kind === 'run' && holder.id === runId) return
    if (holder !== undefined) throw conflict(await describeLock(tx, holder))
    await takeLock(deps, tx, row, { kind: 'run', id: runId }, '')
  }
