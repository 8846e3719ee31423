import { eq } from 'drizzle-orm'
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

const nobody = { userId: null }

/**
 * The run enters planning or applying: a runner has it. A plan is made on the state that is current now. Answers the phase's row.
 * Throws CONFLICT when the run was canceled meanwhile.
 */
export const beginPhase = async (d: RunDeps, tx: RunTx, runId: string, kind: PhaseRow['kind']): Promise<PhaseRow> => {
  const run = await lockRun(tx, runId)
  await transition(d, tx, run, { kind: kind === 'plan' ? 'begin-plan' : 'begin-apply' }, nobody)
  if (kind === 'plan') {
    const { workspaces } = tx.t
    const rows = await tx.select({ current: workspaces.currentStateVersionId }).from(workspaces).where(eq(workspaces.id, run.workspaceId))
    await saveRun(tx, runId, { inputStateVersionId: rows[0]?.current ?? null })
  }
  return phaseOf(tx, runId, kind)
}

const phaseOf = async (tx: RunTx, runId: string, kind: PhaseRow['kind']): Promise<PhaseRow> => {
  const phases = await listPhases(tx, [runId])
  return phases.find((phase) => phase.kind === kind)!
}

/** Whether the workspace's state is still the one that the plan was made on. */
export const isPlanStale = async (tx: RunTx, run: RunRow): Promise<boolean> => {
  const { workspaces } = tx.t
  const rows = await tx.select({ current: workspaces.currentStateVersionId }).from(workspaces).where(eq(workspaces.id, run.workspaceId))
  return (rows[0]?.current ?? null) !== run.inputStateVersionId
}

export const finishPlan = async (d: RunDeps, tx: RunTx, runId: string, outcome: PlanOutcome): Promise<void> => {
  const run = await lockRun(tx, runId)
  const { counts, hasChanges, ...artifacts } = outcome
  await savePhase(tx, run.planId, {
    ...artifacts,
    additions: counts.add,
    changes: counts.change,
    destructions: counts.remove,
    imports: counts.import,
  })
  await transition(d, tx, run, { kind: 'finish-plan', hasChanges, mayAutoApply: true }, nobody)
}

export const finishApply = async (d: RunDeps, tx: RunTx, runId: string, counts: PlanOutcome['counts']): Promise<void> => {
  const run = await lockRun(tx, runId)
  await savePhase(tx, run.applyId, { additions: counts.add, changes: counts.change, destructions: counts.remove, imports: counts.import })
  await transition(d, tx, run, { kind: 'finish-apply' }, nobody)
}

/** The phase under way has failed, or has ended because it was told to. A run that is over already stays as it is. */
export const endPhase = async (d: RunDeps, tx: RunTx, runId: string, how: 'fail' | 'phase-canceled'): Promise<void> => {
  const run = await lockRun(tx, runId)
  if (run.isOpen) await transition(d, tx, run, { kind: how }, nobody)
}

/** Whether somebody asked to cancel the run. */
export const isCancelRequested = async (d: RunDeps, runId: string): Promise<boolean> =>
  ((await findRun(d.db, runId))?.cancelRequestedAt ?? null) !== null
