import type { Ctx } from '../platform/context.ts'
import { isUniqueViolation } from '../platform/db/errors.ts'
import { invalid, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { bindingLimit, decideBindings, flatTagLimit, readBindings } from '../organizations/index.ts'
import { loadView } from './load-view.ts'
import { findOrganization, findProjectId, insertWorkspace } from './queries.ts'
import { decideSettings, defaultSettings } from './settings/decide-settings.ts'
import { noSuchProject } from './settings/no-such-project.ts'
import { engineOfClient, requestedEngine } from './settings/requested-engine.ts'
import type { CreateWorkspace } from './settings/schemas.ts'
import { applyBindings } from './tags/apply-bindings.ts'
import { readTagNames } from './tags/read-tag-names.ts'
import type { WorkspaceDeps, WorkspaceRow, WorkspaceView } from './workspace.ts'

/** INVALID for refused settings and for a name that is taken. */
export const createWorkspace =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, organizationName: string, input: CreateWorkspace): Promise<WorkspaceView> => {
    const { db, clock, engineVersions, outbox } = deps
    const organization = await findOrganization(db, organizationName)
    if (organization === undefined) throw notFound()
    await deps.authorize(ctx, 'workspace:create', { organizationId: organization.id })

    const { engine = engineOfClient(ctx.client), terraformVersion = null } = input
    const choice = await requestedEngine(engineVersions, 'terraform', { engine, terraformVersion })
    const facts = { inheritedMode: organization.defaultExecutionMode, ...choice }
    const settings = decideSettings(defaultSettings(input.name, ''), input, facts)
    const [flat, valued] = [readTagNames(input.tags ?? []), readBindings(input.tagBindings ?? [])]
    const bindings = decideBindings([], [...flat, ...valued], 'add', valued.length === 0 ? flatTagLimit : bindingLimit)

    return db.transaction(async (tx) => {
      const projectId = await findProjectId(tx, organization.id, input.project ?? undefined)
      if (projectId === undefined) throw noSuchProject()
      const now = clock.now()
      const row: WorkspaceRow = {
        ...settings,
        id: newId('ws'),
        organizationId: organization.id,
        projectId,
        source: ctx.client.terraformVersion === undefined ? 'tfe-api' : 'terraform',
        sourceName: input.sourceName ?? null,
        sourceUrl: input.sourceUrl ?? null,
        lockedByKind: null,
        lockedById: null,
        lockedReason: '',
        currentRunId: null,
        currentStateVersionId: null,
        currentConfigurationVersionId: null,
        sshKeyId: null,
        resourceCount: 0,
        runFigures: null,
        retention: null,
        createdAt: now,
        updatedAt: now,
        latestChangeAt: now,
        version: 1,
      }
      try {
        await insertWorkspace(tx, row)
      } catch (error) {
        if (isUniqueViolation(error)) throw invalid('Name has already been taken', 'name')
        throw error
      }
      await applyBindings(tx, row, bindings)
      await outbox.emit(tx, { type: 'workspace.created', subject: row.id, organizationId: organization.id, version: row.version })
      return loadView(deps, ctx, tx, { row, organization })
    })
  }
