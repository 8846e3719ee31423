import type { Ctx } from '../platform/context.ts'
import { isUniqueViolation } from '../platform/db/errors.ts'
import { invalid } from '../platform/errors.ts'
import { findAllowed } from './find-allowed.ts'
import { loadView } from './load-view.ts'
import { lockAllowed } from './lock-allowed.ts'
import { findProjectId, updateWorkspaceRow } from './queries.ts'
import { changedSettings } from './settings/changed-settings.ts'
import { decideSettings } from './settings/decide-settings.ts'
import { noSuchProject } from './settings/no-such-project.ts'
import { requestedEngine } from './settings/requested-engine.ts'
import type { UpdateWorkspace } from './settings/schemas.ts'
import { replaceBindings } from './tags/replace-bindings.ts'
import type { Workspace, WorkspaceDeps, WorkspaceRef, WorkspaceRow, WorkspaceTx, WorkspaceView } from './workspace.ts'

/** Absent stays, null goes back to the default. `updated-at` moves when a setting did. INVALID for refused settings and for a name that is taken. */
export const updateWorkspace =
  (deps: WorkspaceDeps) =>
  async (ctx: Ctx, ref: WorkspaceRef, input: UpdateWorkspace): Promise<WorkspaceView> => {
    const { db, engineVersions } = deps
    const isAboutEngine = input.terraformVersion !== undefined || input.engine !== undefined
    // Outside of the transaction: it may ask the release mirror.
    const choice = isAboutEngine
      ? await requestedEngine(engineVersions, (await findAllowed(deps, ctx, db, ref, 'workspace:update')).row.engine, input)
      : {}

    return db.transaction(async (tx) => {
      const workspace = await lockAllowed(deps, ctx, tx, ref, 'workspace:update')
      const facts = { inheritedMode: workspace.organization.defaultExecutionMode, ...choice }
      const changes = {
        ...changedSettings(workspace.row, decideSettings(workspace.row, input, facts)),
        ...(await movedProject(tx, workspace, input)),
      }
      if (input.tagBindings) await replaceBindings(tx, workspace.row, input.tagBindings)
      const row = Object.keys(changes).length === 0 ? workspace.row : await save(deps, tx, workspace, changes)
      return loadView(deps, ctx, tx, { ...workspace, row })
    })
  }

const movedProject = async (tx: WorkspaceTx, { row }: Workspace, { project }: UpdateWorkspace): Promise<{ projectId?: string }> => {
  if (project === undefined || project === row.projectId) return {}
  const projectId = await findProjectId(tx, row.organizationId, project ?? undefined)
  if (projectId === undefined) throw noSuchProject()
  return { projectId }
}

const save = async (deps: WorkspaceDeps, tx: WorkspaceTx, { row }: Workspace, changes: Partial<WorkspaceRow>): Promise<WorkspaceRow> => {
  try {
    const saved = await updateWorkspaceRow(tx, row.id, { ...changes, updatedAt: deps.clock.now() })
    await deps.outbox.emit(tx, { type: 'workspace.updated', subject: row.id, organizationId: row.organizationId, version: saved.version })
    return saved
  } catch (error) {
    if (isUniqueViolation(error)) throw invalid('Name has already been taken', 'name')
    throw error
  }
}
