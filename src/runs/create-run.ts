import { stampTime } from '../platform/clock.ts'
import type { Ctx } from '../platform/context.ts'
import type { EngineName } from '../platform/engine-name.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { WorkspaceRow } from '../workspaces/index.ts'
import { userIdOf } from './act-on-run.ts'
import { checkNewRun } from './check-new-run.ts'
import { lockConfigurationVersion } from './configuration-queries.ts'
import { defaultConfigurationId } from './default-configuration.ts'
import type { RunDeps } from './deps.ts'
import { insertRunEvent } from './event-queries.ts'
import { findExecutionMode, findRun, findWorkspace, insertRun, lockWorkspace, nextRunPosition } from './queries.ts'
import { type Origin, originOf } from './run-origin.ts'
import type { ConfigurationVersionRow, PhaseRow, RunRow, RunTx } from './run.ts'
import type { CreateRun } from './schemas.ts'
import { advanceQueue } from './transition.ts'

const MESSAGE_CHARACTERS = 65_535

/** Creates a run, and starts it when its turn has come already. Throws 404, 422. */
export const createRun =
  (d: RunDeps) =>
  async (ctx: Ctx, input: CreateRun): Promise<RunRow> => {
    if (input.workspace === undefined || input.workspace === null) throw invalid("Workspace can't be blank")
    const workspaceId = input.workspace
    const seen = await findWorkspace(d.db, workspaceId)
    if (seen === undefined) throw notFound()
    await d.authorize(ctx, 'run:plan', { organizationId: seen.organizationId, workspaceId })
    // Resolving may ask a release mirror, so it happens outside the transaction.
    const { engine } = seen
    const terraformVersion = await d.engines[engine].resolve(input.terraformVersion ?? seen.terraformVersion)
    const mayAutoApply = (await d.permissionsOf(ctx, seen.organizationId, workspaceId)).has('run:apply')
    const run: NewRun = { input, workspaceId, engine, terraformVersion, origin: originOf(ctx), mayAutoApply }
    return d.db.transaction((tx) => addRun(d, tx, ctx, run))
  }

export type NewRun = {
  input: CreateRun
  workspaceId: string
  engine: EngineName
  /** Exact. */
  terraformVersion: string
  origin: Origin
  /** Whether whoever is behind it may apply. */
  mayAutoApply: boolean
}

/** The same in the caller's transaction, for a caller who was authorized. */
export const addRun = async (
  d: RunDeps,
  tx: RunTx,
  ctx: Ctx,
  { input, workspaceId, engine, terraformVersion, origin, mayAutoApply }: NewRun,
): Promise<RunRow> => {
  const workspace = await lockWorkspace(tx, workspaceId)
  const configuration = await configurationFor(d, tx, ctx, workspace, input.configurationVersion ?? undefined)
  const isPlanOnly = input.planOnly === true || configuration.isSpeculative
  checkNewRun(input, {
    isPlanOnly,
    configuration,
    workspace,
    engine,
    terraformVersion,
    executionMode: await findExecutionMode(tx, workspace),
  })
  const now = d.clock.now()
  const id = newId('run')
  const planId = newId('plan')
  const applyId = newId('apply')
  const createdByUserId = userIdOf(ctx)
  await insertRun(
    tx,
    {
      id,
      organizationId: workspace.organizationId,
      workspaceId,
      configurationVersionId: configuration.id,
      position: await nextRunPosition(tx, workspaceId),
      status: 'pending',
      isOpen: true,
      message: (input.message ?? origin.message).slice(0, MESSAGE_CHARACTERS),
      source: origin.source,
      triggerReason: origin.triggerReason,
      isPlanOnly,
      isDestroy: input.isDestroy ?? false,
      refresh: input.refresh ?? true,
      // An action is invoked by a run that changes nothing else.
      isRefreshOnly: (input.refreshOnly ?? false) || isGiven(input.invokeActionAddrs),
      isSavePlan: input.savePlan ?? false,
      autoApply: input.autoApply ?? (origin.source === 'tfe-run-trigger' ? workspace.autoApplyRunTrigger : workspace.autoApply),
      mayAutoApply,
      allowEmptyApply: input.allowEmptyApply ?? false,
      allowConfigGeneration: input.allowConfigGeneration ?? origin.allowsConfigGeneration ?? false,
      isDebugging: input.debuggingMode ?? false,
      targetAddrs: input.targetAddrs ?? null,
      replaceAddrs: input.replaceAddrs ?? null,
      invokeActionAddrs: isGiven(input.invokeActionAddrs) ? input.invokeActionAddrs : null,
      policyPaths: input.policyPaths ?? null,
      engine,
      terraformVersion,
      logFormat: workspace.structuredRunOutputEnabled && origin.readsJsonLogs ? 'json' : 'text',
      hasChanges: false,
      statusTimestamps: { 'plan-queueable-at': stampTime(now) },
      variablesSealed: d.envelope.seal(JSON.stringify(input.variables ?? []), `runs/${id}/variables`),
      pinnedVariablesSealed: d.envelope.seal(JSON.stringify(await d.variableSets.pinVariables(tx, workspaceId)), `runs/${id}/pinned`),
      planId,
      applyId,
      inputStateVersionId: workspace.currentStateVersionId,
      createdByUserId,
      createdAt: now,
      updatedAt: now,
      version: 1,
    },
    [newPhase({ id: planId, runId: id, kind: 'plan', now }), newPhase({ id: applyId, runId: id, kind: 'apply', now })],
  )
  await insertRunEvent(tx, {
    id: newId('re'),
    runId: id,
    action: 'created',
    description: null,
    actorUserId: createdByUserId,
    commentId: null,
    createdAt: now,
  })
  await d.emit(tx, { type: 'run.created', subject: id, organizationId: workspace.organizationId, version: 1, payload: { workspaceId } })
  await advanceQueue(d, tx, workspaceId)
  return (await findRun(tx, id))!
}

const isGiven = (list: string[] | null | undefined): list is string[] => (list ?? []).length > 0

const newPhase = ({ id, runId, kind, now }: Pick<PhaseRow, 'id' | 'runId' | 'kind'> & { now: Date }) => ({
  id,
  runId,
  kind,
  status: 'pending' as const,
  statusTimestamps: { 'pending-at': stampTime(now) },
  hasGeneratedConfiguration: false,
  logBytes: 0,
  createdAt: now,
})

const configurationFor = async (
  d: RunDeps,
  tx: RunTx,
  ctx: Ctx,
  workspace: WorkspaceRow,
  wanted: string | undefined,
): Promise<ConfigurationVersionRow> => {
  const id = wanted ?? (await defaultConfigurationId(tx, workspace.id))
  if (id === undefined) throw invalid('Configuration version is missing. Upload a configuration to the workspace first.')
  const found = await lockConfigurationVersion(tx, id)
  if (found === undefined || !(await mayUse(d, tx, ctx, workspace, found))) throw invalid('Configuration version does not exist')
  return found
}

/** A configuration may be promoted from another workspace of the same organization, by whom may see it there. */
const mayUse = async (d: RunDeps, tx: RunTx, ctx: Ctx, workspace: WorkspaceRow, found: ConfigurationVersionRow): Promise<boolean> => {
  if (found.workspaceId === workspace.id) return true
  const owner = await findWorkspace(tx, found.workspaceId)
  if (owner?.organizationId !== workspace.organizationId) return false
  return (await d.permissionsOf(ctx, owner.organizationId, owner.id, tx)).has('run:read')
}
