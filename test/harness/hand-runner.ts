import { and, eq } from 'drizzle-orm'
import { withRunnerTables } from '../../src/runner/controller/queries.ts'
import { type PlanOutcome, type RunTx, appendLog, beginPhase, endPhase, finishApply, finishPlan, lockPhase } from '../../src/runs/index.ts'
import type { RunApi } from './runs.ts'

/** Does to a run what a controller does in the course of its phases, without a runner. */
export type HandRunner = {
  begin(runId: string, kind: 'plan' | 'apply'): Promise<void>
  /** Begins and finishes the plan. */
  plan(runId: string, outcome?: Partial<PlanOutcome>): Promise<void>
  finishPlan(runId: string, outcome?: Partial<PlanOutcome>): Promise<void>
  /** Begins and finishes the apply. */
  apply(runId: string): Promise<void>
  finishApply(runId: string): Promise<void>
  end(runId: string, kind: 'plan' | 'apply', how: 'fail' | 'phase-canceled'): Promise<void>
  log(runId: string, kind: 'plan' | 'apply', text: string | Buffer): Promise<void>
  /** Jobs of the run, oldest first: phase, status, how to cancel. */
  jobs(runId: string): Promise<{ phase: string; status: string; cancelMode: string | null }[]>
}

const noCounts = { add: 0, change: 0, remove: 0, import: 0 }
const nothingKept = {
  planBlobKey: null,
  lockFileBlobKey: null,
  snapshotBlobKey: null,
  planJsonBlobKey: null,
  redactedJsonBlobKey: null,
  schemasBlobKey: null,
}

/** The job says who is at work, which a cancel goes by. */
const setJob = async (given: RunTx, runId: string, phase: 'plan' | 'apply', status: 'running' | 'done'): Promise<void> => {
  const tx = withRunnerTables(given)
  const { runnerJobs } = tx.t
  await tx
    .update(runnerJobs)
    .set({ status })
    .where(and(eq(runnerJobs.runId, runId), eq(runnerJobs.phase, phase)))
}

export const makeHandRunner = ({ db, runDeps }: Pick<RunApi, 'db' | 'runDeps'>): HandRunner => {
  const inPhase = (
    runId: string,
    kind: 'plan' | 'apply',
    work: (tx: RunTx, locked: NonNullable<Awaited<ReturnType<typeof lockPhase>>>) => Promise<unknown>,
  ) =>
    db.transaction(async (tx) => {
      const locked = await lockPhase(tx, runId, kind)
      if (locked === undefined) throw new Error(`there is no ${kind} of ${runId}`)
      await work(tx, locked)
    })
  const self: HandRunner = {
    begin: (runId, kind) =>
      inPhase(runId, kind, async (tx, locked) => {
        await setJob(tx, runId, kind, 'running')
        await beginPhase(runDeps, tx, locked)
      }),
    plan: async (runId, outcome) => {
      await self.begin(runId, 'plan')
      await self.finishPlan(runId, outcome)
    },
    finishPlan: (runId, outcome = {}) =>
      inPhase(runId, 'plan', async (tx, { run }) => {
        await setJob(tx, runId, 'plan', 'done')
        const whole = { hasChanges: true, hasGeneratedConfiguration: false, counts: noCounts, ...nothingKept, ...outcome }
        await finishPlan(runDeps, tx, run, whole)
      }),
    apply: async (runId) => {
      await self.begin(runId, 'apply')
      await self.finishApply(runId)
    },
    finishApply: (runId) =>
      inPhase(runId, 'apply', async (tx, { run }) => {
        await setJob(tx, runId, 'apply', 'done')
        await finishApply(runDeps, tx, run, { ...noCounts, add: 1 })
      }),
    end: (runId, kind, how) =>
      inPhase(runId, kind, async (tx, { run }) => {
        await setJob(tx, runId, kind, 'done')
        await endPhase(runDeps, tx, run, how)
      }),
    log: (runId, kind, text) => inPhase(runId, kind, (tx, { phase }) => appendLog(tx, phase, text)),
    jobs: async (runId) => {
      const t = db.t.runnerJobs
      const rows = await db.select().from(t).where(eq(t.runId, runId)).orderBy(t.createdAt, t.phase)
      return rows.map(({ phase, status, cancelMode }) => ({ phase, status, cancelMode }))
    },
  }
  return self
}
