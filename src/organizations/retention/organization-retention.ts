import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { OrganizationDeps } from '../deps.ts'
import type { GetOrganization } from '../get-organization.ts'
import { lockOrganization, saveOrganization } from '../queries.ts'
import type { RetentionPolicy } from '../tables.ts'
import { nextPolicy } from './retention-policy.ts'

/** The policy of the workspaces of an organization that have none of their own. Errors: NOT_FOUND. */
export const organizationRetention = (d: OrganizationDeps, get: GetOrganization) => {
  const change = async <P extends RetentionPolicy | null>(
    ctx: Ctx,
    name: string,
    next: (current: RetentionPolicy | null) => P,
  ): Promise<P> => {
    const { id } = await get(ctx, name, 'organization:update')
    return d.db.transaction(async (tx) => {
      const row = await lockOrganization(tx, id)
      if (row === undefined) throw notFound()
      const retention = next(row.retention)
      await saveOrganization(tx, { ...row, retention, updatedAt: d.clock.now() })
      await d.outbox.emit(tx, { type: 'organization.updated', subject: id, organizationId: id })
      return retention
    })
  }
  return {
    get: async (ctx: Ctx, name: string): Promise<RetentionPolicy | null> => (await get(ctx, name)).retention,
    set: (ctx: Ctx, name: string, days: number | null): Promise<RetentionPolicy> =>
      change(ctx, name, (current) => nextPolicy(current, days)),
    remove: async (ctx: Ctx, name: string): Promise<void> => void (await change(ctx, name, () => null)),
  }
}
