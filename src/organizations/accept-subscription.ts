import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { OrganizationDeps } from './deps.ts'
import { listOrganizationsByName } from './queries.ts'

export const isSiteAdmin = ({ actor }: Ctx): boolean => actor.kind === 'user' && actor.isSiteAdmin

/** Changes nothing, since every organization has every feature. NOT_FOUND for all but site administrators. */
export const acceptSubscription =
  (d: OrganizationDeps) =>
  async (ctx: Ctx, name: string): Promise<void> => {
    if (!isSiteAdmin(ctx)) throw notFound()
    const [organization] = await listOrganizationsByName(d.db, [name])
    if (organization === undefined) throw notFound()
  }
