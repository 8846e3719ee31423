import { eq } from 'drizzle-orm'
import { stampTime } from '../platform/clock.ts'
import type { Client, Ctx } from '../platform/context.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { RunDeps } from './deps.ts'
import { findConfigurationVersion, findLatestConfigurationVersion, findRun, insertRun, insertRunEvent, nextRunPosition } from './queries.ts'
import type { ConfigurationVersionRow, RunRow, RunTx } from './run.ts'
import type { CreateRun } from './schemas.ts'
import { advanceQueue } from './transition.ts'

const MESSAGE_CHARACTERS = 65_535

type WorkspaceRow = RunTx['t']['workspaces']['$inferSelect']

/** Creates a run, and starts it when its turn has come already. Throws 404, 422. */
export const createRun =
  (d: RunDeps) =>
  async (ctx: Ctx, input: CreateRun, origin = originOf(ctx.client)): Promise<RunRow> => {
    if (input.workspace === undefined || input.workspace === null) throw invalid("Workspace can't be blank")
    const workspaceId = input.workspace
    const seen = await findWorkspace(d.db, workspaceId)
    if (seen === undefined) throw notFound()
    await d.authorize(ctx, 'run:plan', { organizationId: seen.organizationId, workspaceId })
    // Resolving may ask a release mirror, so it happens outside the transaction.
    const terraformVersion = await d.engines.resolve(input.terraformVersion ?? seen.terraformVersion)
    return d.db.transaction(async (tx) => {
      const workspace = await lockWorkspace(tx, workspaceId)
      const configuration = await configurationFor(tx, workspace, input)
      const isPlanOnly = (input.planOnly ?? configuration.isSpeculative) || configuration.isSpeculative
      await validate(tx, workspace, configuration, input, isPlanOnly)
      const now = d.clock.now()
      const id = newId('run')
      const planId = newId('plan')
      const applyId = newId('apply')
      const createdByUserId = ctx.actor.kind === 'user' ? ctx.actor.userId : null
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
          triggerReason: 'manual',
          isPlanOnly,
          isDestroy: input.isDestroy ?? false,
          refresh: input.refresh ?? true,
          isRefreshOnly: input.refreshOnly ?? false,
          isSavePlan: input.savePlan ?? false,
          autoApply: input.autoApply ?? workspace.autoApply,
          allowEmptyApply: input.allowEmptyApply ?? false,
          allowConfigGeneration: input.allowConfigGeneration ?? false,
          isDebugging: input.debuggingMode ?? false,
          targetAddrs: input.targetAddrs ?? null,
          replaceAddrs: input.replaceAddrs ?? null,
          terraformVersion,
          logFormat: workspace.structuredRunOutputEnabled && origin.readsJsonLogs ? 'json' : 'text',
          hasChanges: false,
          statusTimestamps: { 'plan-queueable-at': stampTime(now) },
          variablesSealed: d.envelope.seal(JSON.stringify(input.variables ?? []), `runs/${id}/variables`),
          pinnedVariablesSealed: d.envelope.seal(JSON.stringify(await d.workspaces.pinVariables(tx, workspaceId)), `runs/${id}/pinned`),
          planId,
          applyId,
          inputStateVersionId: workspace.currentStateVersionId,
          createdByUserId,
          createdAt: now,
          updatedAt: now,
          version: 1,
        },
        [
          {
            id: planId,
            runId: id,
            kind: 'plan',
            status: 'pending',
            statusTimestamps: { 'pending-at': stampTime(now) },
            hasGeneratedConfiguration: false,
            logBytes: 0,
            createdAt: now,
          },
          {
            id: applyId,
            runId: id,
            kind: 'apply',
            status: 'pending',
            statusTimestamps: { 'pending-at': stampTime(now) },
            hasGeneratedConfiguration: false,
            logBytes: 0,
            createdAt: now,
          },
        ],
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
    })
  }

const findWorkspace = async (db: Pick<RunTx, 'select' | 't'>, id: string): Promise<WorkspaceRow | undefined> =>
  (await db.select().from(db.t.workspaces).where(eq(db.t.workspaces.id, id)))[0]

const lockWorkspace = async (tx: RunTx, id: string): Promise<WorkspaceRow> => {
  const rows = await tx.forUpdate(tx.select().from(tx.t.workspaces).where(eq(tx.t.workspaces.id, id)))
  if (rows[0] === undefined) throw notFound()
  return rows[0]
}

const configurationFor = async (tx: RunTx, workspace: WorkspaceRow, input: CreateRun): Promise<ConfigurationVersionRow> => {
  const wanted = input.configurationVersion ?? undefined
  const found = wanted === undefined ? await findLatestConfigurationVersion(tx, workspace.id) : await findConfigurationVersion(tx, wanted)
  if (found === undefined) {
    throw wanted === undefined
      ? invalid('Configuration version is missing. Upload a configuration to the workspace first.')
      : invalid('Configuration version does not exist')
  }
  // A configuration may be promoted from another workspace of the same organization.
  if (found.workspaceId !== workspace.id) {
    const owner = await findWorkspace(tx, found.workspaceId)
    if (owner?.organizationId !== workspace.organizationId) throw invalid('Configuration version does not exist')
  }
  return found
}

const validate = async (
  tx: RunTx,
  workspace: WorkspaceRow,
  configuration: ConfigurationVersionRow,
  input: CreateRun,
  isPlanOnly: boolean,
): Promise<void> => {
  const { organizations } = tx.t
  const modes = await tx
    .select({ mode: organizations.defaultExecutionMode })
    .from(organizations)
    .where(eq(organizations.id, workspace.organizationId))
  if ((workspace.executionMode ?? modes[0]?.mode) === 'local') {
    throw invalid(
      'Runs cannot be created in a workspace whose execution mode is local. Change the execution mode to remote.',
      'execution-mode',
    )
  }
  if (configuration.status === 'errored')
    throw invalid(`Configuration version cannot be used: ${configuration.errorMessage ?? 'its upload failed'}`)
  if (configuration.status === 'archived') throw invalid('Configuration version is archived')
  if (input.isDestroy === true && input.refreshOnly === true)
    throw invalid('A run cannot be both is-destroy and refresh-only', 'is-destroy')
  if (input.isDestroy === true && !workspace.allowDestroyPlan)
    throw invalid('Destroy plans are not allowed in this workspace. Allow them in its settings.', 'is-destroy')
  if (input.refreshOnly === true && input.refresh === false) throw invalid('A refresh-only run cannot skip the refresh', 'refresh')
  if (input.terraformVersion !== undefined && input.terraformVersion !== null && !isPlanOnly) {
    throw invalid('Terraform version can be set for plan-only runs only', 'terraform-version')
  }
  if (isPlanOnly && input.savePlan === true) throw invalid('A plan-only run has no plan to save', 'save-plan')
}

type Origin = { source: string; message: string; readsJsonLogs: boolean }

/** Who started the run and which kind of log it reads, from what the client says about itself. */
const originOf = (client: Client): Origin => {
  const byCli = 'Queued manually using Terraform'
  if (client.integration === 'cloud') return { source: 'terraform+cloud', message: byCli, readsJsonLogs: true }
  if (client.terraformVersion !== undefined) return { source: 'terraform', message: byCli, readsJsonLogs: false }
  return { source: 'tfe-api', message: 'Queued manually via the Terraform Enterprise API', readsJsonLogs: true }
}
