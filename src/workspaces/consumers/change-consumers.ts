import type { Ctx } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { lockAllowed } from '../lock-allowed.ts'
import { listWorkspacesById } from '../queries.ts'
import type { WorkspaceDeps, WorkspaceRow, WorkspaceTx } from '../workspace.ts'
import { deleteAllConsumers, deleteConsumers, insertConsumers } from './queries.ts'

const MAX_CONSUMERS = 1000

/**
 * Adds, removes or replaces the workspaces whose runs may read the state of this one. INVALID while everybody may, for the workspace
 * itself, and for workspaces that do not exist in the organization or that the actor may not read.
 */
export const changeConsumers =
  (deps: WorkspaceDeps) =>
  (ctx: Ctx, id: string, change: 'add' | 'remove' | 'replace', consumerIds: readonly string[]): Promise<void> =>
    deps.db.transaction(async (tx) => {
      const { row } = await lockAllowed(deps, ctx, tx, { id }, 'workspace:update')
      if (row.globalRemoteState) throw refused('Remote state consumers cannot be set while global remote state sharing is enabled')
      const ids = [...new Set(consumerIds)]
      if (ids.length > MAX_CONSUMERS) throw refused(`Give at most ${MAX_CONSUMERS} workspaces at a time`)
      if (change === 'remove') return deleteConsumers(tx, row.id, ids)
      await checkConsumers(deps, ctx, tx, row, ids)
      if (change === 'replace') await deleteAllConsumers(tx, row.id)
      await insertConsumers(tx, row.id, ids)
    })

const checkConsumers = async (
  deps: WorkspaceDeps,
  ctx: Ctx,
  tx: WorkspaceTx,
  source: WorkspaceRow,
  ids: readonly string[],
): Promise<void> => {
  if (ids.includes(source.id)) throw refused('A workspace may always read its own state: leave it out')
  const readable = new Set<string>()
  for (const { row } of await listWorkspacesById(tx, ids)) {
    if (row.organizationId !== source.organizationId) continue
    const permissions = await deps.permissionsOf(ctx, row.organizationId, row.id, tx)
    if (permissions.has('workspace:read')) readable.add(row.id)
  }
  const missing = ids.find((id) => !readable.has(id))
  if (missing !== undefined) throw refused(`The workspace ${missing.slice(0, 100)} does not exist in this organization`)
}

const refused = (detail: string): AppError => new AppError('INVALID', detail, { source: { pointer: '/data' } })
