import type { TransactionOptions } from '../../platform/db/database.ts'
import { lockPhase, type LockedPhase } from '../../runs/index.ts'
import type { ControllerDeps, JobRow, RunnerTx } from './deps.ts'
import { Fenced } from './drive.ts'
import { updateOwnJob } from './queries.ts'

/**
 * Changes a run as the owner of its job, in one transaction: workspace, run and job are locked in this order, the one lock order. Throws
 * Fenced when the job belongs to somebody else by now, or the run is gone.
 */
export const asOwner = <R>(
  d: Pick<ControllerDeps, 'db'>,
  job: JobRow,
  patch: Partial<JobRow>,
  change: (tx: RunnerTx, locked: LockedPhase) => Promise<R>,
  options: TransactionOptions = {},
): Promise<R> =>
  d.db.transaction(async (tx) => {
    const locked = await lockPhase(tx, job.runId, job.phase)
    if (locked === undefined || (await updateOwnJob(tx, job, patch)) === undefined) throw new Fenced()
    return change(tx, locked)
  }, options)
