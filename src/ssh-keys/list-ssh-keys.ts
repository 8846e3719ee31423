import type { Ctx } from '../platform/context.ts'
import type { PageRequest } from '../platform/db/paginate.ts'
import { listSshKeyRows } from './queries.ts'
import { toSshKey, type SshKey, type SshKeyDeps } from './ssh-key.ts'

/** The keys of an organization by name; all of them when no page is asked for. */
export const listSshKeys =
  (d: SshKeyDeps) =>
  async (ctx: Ctx, organizationName: string, page: PageRequest | undefined): Promise<{ items: SshKey[]; total: number }> => {
    const organization = await d.getOrganization(ctx, organizationName, 'ssh-key:read')
    const { items, total } = await listSshKeyRows(d.db, organization.id, page)
    return { items: items.map(toSshKey), total }
  }
