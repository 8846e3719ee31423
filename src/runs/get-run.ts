import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { RunDeps } from './deps.ts'
import { describeRuns, type RunView } from './describe-runs.ts'
import { findPhase, findRun } from './queries.ts'
import type { PhaseRow, RunRow } from './run.ts'

/** A run that the actor may read. Throws NOT_FOUND. */
export const readRun = async (d: RunDeps, ctx: Ctx, id: string): Promise<RunRow> => {
  const run = await findRun(d.db, id)
  if (run === undefined) throw notFound()
  await d.authorize(ctx, 'run:read', { organizationId: run.organizationId, workspaceId: run.workspaceId })
  return run
}

export const getRun =
  (d: RunDeps) =>
  async (ctx: Ctx, id: string): Promise<RunView> => {
    const views = await describeRuns(d, ctx, [await readRun(d, ctx, id)])
    return views[0]!
  }

/** A plan or an apply, with its run. Throws NOT_FOUND. */
export const getPhase =
  (d: RunDeps) =>
  async (ctx: Ctx, kind: PhaseRow['kind'], id: string): Promise<{ phase: PhaseRow; run: RunRow }> => {
    const phase = await findPhase(d.db, id)
    if (phase === undefined || phase.kind !== kind) throw notFound()
    return { phase, run: await readRun(d, ctx, phase.runId) }
  }
