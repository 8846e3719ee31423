import type { WorkspaceRow } from '../workspaces/index.ts'
import type { RunDeps } from './deps.ts'
import { findRun, listPhases, lockRun, savePhase, saveRun } from './queries.ts'
import type { PhaseRow, RunRow, RunTx } from './run.ts'
import { transition } from './transition.ts'

/** What a finished plan leaves behind; keys of the blob store. */
export type PlanOutcome = {
  hasChanges: boolean
  hasGeneratedConfiguration: boolean
  counts: { add: number; change: number; remove: number; import: number }
  planBlobKey: string | null
  lockFileBlobKey: string | null
  snapshotBlobKey: string | null
  planJsonBlobKey: string | null
  redactedJsonBlobKey: string | null
  schemasBlobKey: string | null
}

export type LockedPhase = { run: RunRow; workspace: WorkspaceRow; phase: PhaseRow }

const nobody = { userId: null }

/** A phase with its run, for whoever executes it; the workspace is locked until the transaction ends. Undefined when the run is gone. */
export const lockPhase = async (tx: RunTx, runId: string, kind: PhaseRow['kind']): Promise<LockedPhase | undefined> => {
  const locked = await lockRun(tx, runId)
  const phase = (await listPhases(tx, runId)).find((each) => each.kind === kind)
  return locked === undefined || phase === undefined ? undefined : { ...locked, phase }
}

/** The run enters planning or applying: a runner has it. A plan is made on the state that is current now. Throws CONFLICT. */
export const beginPhase = async (d: RunDeps, tx: RunTx, { run, workspace, phase }: LockedPhase): Promise<void> => {
  await transition(d, tx, run, { kind: phase.kind === 'plan' ? 'begin-plan' : 'begin-apply' }, nobody)
  if (phase.kind === 'plan') await saveRun(tx, run.id, { inputStateVersionId: workspace.currentStateVersionId })
}

export const finishPlan = async (d: RunDeps, tx: RunTx, run: RunRow, { counts, hasChanges, ...artifacts }: PlanOutcome): Promise<void> => {
  await savePhase(tx, run.planId, { ...artifacts, ...countColumns(counts) })
  await transition(d, tx, run, { kind: 'finish-plan', hasChanges, mayAutoApply: run.mayAutoApply ?? true }, nobody)
}

export const finishApply = async (d: RunDeps, tx: RunTx, run: RunRow, counts: PlanOutcome['counts']): Promise<void> => {
  await savePhase(tx, run.applyId, countColumns(counts))
  await transition(d, tx, run, { kind: 'finish-apply' }, nobody)
}

const countColumns = ({ add, change, remove, import: imports }: PlanOutcome['counts']) => ({
  additions: add,
  changes: change,
  destructions: remove,
  imports,
})

/** A state of an apply that the workspace could not take: people can download it. */
export const keepErroredState = (tx: RunTx, applyId: string, erroredStateBlobKey: string): Promise<void> =>
  savePhase(tx, applyId, { erroredStateBlobKey })

/** The phase under way has failed, or has ended because it was told to. A run that is over already stays as it is. */
export const endPhase = async (d: RunDeps, tx: RunTx, run: RunRow, how: 'fail' | 'phase-canceled'): Promise<void> => {
  if (run.isOpen) await transition(d, tx, run, { kind: how }, nobody)
}

/** Whether the run is planned and waits, so that an apply may follow. */
export const mayBeApplied = async (d: RunDeps, runId: string): Promise<boolean> => (await findRun(d.db, runId))?.isOpen ?? false
