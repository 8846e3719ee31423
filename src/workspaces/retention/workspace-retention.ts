import { type RetentionPolicy, nextPolicy } from '../../organizations/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { findAllowed } from '../find-allowed.ts'
import { lockAllowed } from '../lock-allowed.ts'
import { updateWorkspaceRow } from '../queries.ts'
import type { WorkspaceDeps } from '../workspace.ts'

/** The workspace's own policy, which goes before that of its organization. Errors: NOT_FOUND. */
export const workspaceRetention = (deps: WorkspaceDeps) => {
  const { db, clock, outbox } = deps
  const change = <P extends RetentionPolicy | null>(ctx: Ctx, id: string, next: (current: RetentionPolicy | null) => P): Promise<P> =>
    db.transaction(async (tx) => {
      const { row } = await lockAllowed(deps, ctx, tx, { id }, 'workspace:update')
      const retention = next(row.retention)
      const { version } = await updateWorkspaceRow(tx, row.id, { retention, updatedAt: clock.now() })
      await outbox.emit(tx, { type: 'workspace.updated', subject: row.id, organizationId: row.organizationId, version })
      return retention
    })
  return {
    get: async (ctx: Ctx, id: string): Promise<RetentionPolicy | null> =>
      (await findAllowed(deps, ctx, db, { id }, 'workspace:read')).row.retention,
    set: (ctx: Ctx, id: string, days: number | null): Promise<RetentionPolicy> => change(ctx, id, (current) => nextPolicy(current, days)),
    remove: async (ctx: Ctx, id: string): Promise<void> => void (await change(ctx, id, () => null)),
  }
}
