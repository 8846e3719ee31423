import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { cancelRun, confirmRun, discardRun, forceCancelRun, forceExecuteRun } from './act-on-run.ts'
import { advanceAllQueues, advanceWorkspace } from './advance-queues.ts'
import { changeConfigurationData } from './backing-data/change-configuration-data.ts'
import { deleteOlderConfigurations } from './backing-data/delete-older-configurations.ts'
import { deletePermanentlyBefore } from './backing-data/queries.ts'
import {
  archiveConfiguration,
  createConfigurationVersion,
  downloadConfiguration,
  getConfigurationVersion,
  listConfigurations,
} from './configuration-versions.ts'
import { createComment, getComment } from './comments.ts'
import { createRun } from './create-run.ts'
import type { RunDeps } from './deps.ts'
import { discardOldPlans, discardStalePlans } from './discard-saved-plans.ts'
import { erroredState } from './errored-state.ts'
import { findRunEvent } from './event-queries.ts'
import { getPhase, getRun, readRun } from './get-run.ts'
import { countRuns } from './list-queries.ts'
import { listOrganizationRuns, listRunQueue, listWorkspaceRuns } from './list-runs.ts'
import { packLog } from './logs/pack-log.ts'
import { readLog } from './logs/read-log.ts'
import { watchLog } from './logs/watch-log.ts'
import { planJson, providerSchemas, redactedPlanJson } from './plan-json.ts'
import { listPhases, listStateVersionIds } from './queries.ts'
import { listReadableRuns } from './list-readable-runs.ts'
import { redactedPlan } from './redacted-plan.ts'
import type { RunEventRow } from './run.ts'
import { finalStatuses } from './statuses.ts'
import { uploadConfiguration, type ScanArchive } from './upload-configuration.ts'

export { makeRunEndpoints } from './endpoints.ts'
export { makeStatePort } from './state-port-queries.ts'
export { makeRunLoaders } from './loaders.ts'
export { availableActions } from './available-actions.ts'
export type { RunView } from './describe-runs.ts'
export { isFinal, isPhaseFinal, type PhaseStatus, type RunStatus } from './statuses.ts'
export { makeCurrentRunSql } from './current-run-sql.ts'
export type { RunDeps } from './deps.ts'
export type { PhaseExecutor, PhaseRow, PhaseWork, PinnedVariable, RunDb, RunRow, RunTx } from './run.ts'
export { appendLog } from './logs/append-log.ts'
export type { LogWatch } from './logs/watch-log.ts'
export { applyPreamble, errorLines, planPreamble } from './logs/preamble.ts'
export { advanceWorkspace } from './advance-queues.ts'
export { listWaitingRuns } from './queue-queries.ts'
export { phaseMaterial, type PhaseMaterial } from './phase-material.ts'
export {
  beginPhase,
  endPhase,
  finishApply,
  finishPlan,
  keepErroredState,
  lockPhase,
  mayBeApplied,
  type LockedPhase,
  type PlanOutcome,
} from './phases.ts'

/** Events after which no more is written to the logs of a run. */
export const finalPhaseEvents: ReadonlySet<string> = new Set(finalStatuses.map((status) => `run.${status}`))

export type Runs = ReturnType<typeof makeRuns>

export const makeRuns = (d: RunDeps & { scanArchive: ScanArchive }) => ({
  signedUrls: d.signedUrls,
  createRun: createRun(d),
  getRun: getRun(d),
  getPhase: getPhase(d),
  listReadableRuns: listReadableRuns(d),
  redactedPlan: redactedPlan(d),
  listWorkspaceRuns: listWorkspaceRuns(d),
  listOrganizationRuns: listOrganizationRuns(d),
  listRunQueue: listRunQueue(d),
  confirmRun: confirmRun(d),
  discardRun: discardRun(d),
  cancelRun: cancelRun(d),
  forceCancelRun: forceCancelRun(d),
  forceExecuteRun: forceExecuteRun(d),
  readLog: readLog(d),
  watchLog: watchLog(d),
  erroredState: erroredState(d),
  createComment: createComment(d),
  getComment: getComment(d),
  createConfigurationVersion: createConfigurationVersion(d),
  getConfigurationVersion: getConfigurationVersion(d),
  listConfigurations: listConfigurations(d),
  downloadConfiguration: downloadConfiguration(d),
  archiveConfiguration: archiveConfiguration(d),
  uploadConfiguration: uploadConfiguration(d, d.scanArchive),
  changeConfigurationData: changeConfigurationData(d),
  /** For the job that enforces retention policies. */
  deleteOlderConfigurations: deleteOlderConfigurations(d),
  /** Deletes for good the archives that were marked for deletion before `before`; how many. */
  purgeDeletedConfigurations: (before: Date): Promise<number> => d.db.transaction((tx) => deletePermanentlyBefore(tx, before)),
  /** Runs of the organization that wait for a runner and that have one. */
  countRuns: (organizationId: string) => countRuns(d.db, organizationId),
  advanceWorkspace: (workspaceId: string, room?: number) => advanceWorkspace(d, workspaceId, room),
  advanceAllQueues: () => advanceAllQueues(d),
  discardStalePlans: discardStalePlans(d),
  discardOldPlans: () => discardOldPlans(d),
  /** Packs both logs of a finished run. */
  packLogs: async (runId: string): Promise<void> => {
    for (const phase of await listPhases(d.db, runId)) await packLog(d, phase.id)
  },

  planDocument: (
    ctx: Ctx,
    kind: 'plan-json' | 'plan-json-redacted' | 'plan-schemas',
    planId: string,
  ): Promise<AsyncIterable<Buffer> | undefined> => {
    switch (kind) {
      case 'plan-json':
        return planJson(d)(ctx, planId)
      case 'plan-json-redacted':
        return redactedPlanJson(d)(ctx, planId)
      case 'plan-schemas':
        return providerSchemas(d)(ctx, planId)
    }
  },

  getRunEvent: async (ctx: Ctx, id: string): Promise<RunEventRow> => {
    const event = await findRunEvent(d.db, id)
    if (event === undefined) throw notFound()
    await readRun(d, ctx, event.runId)
    return event
  },

  /** State versions that the run has written, oldest first. */
  stateVersionIdsOf: async (runId: string): Promise<string[]> => (await listStateVersionIds(d.db, [runId])).map((row) => row.id),
})
