import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { findSshKey } from './queries.ts'
import { toSshKey, type SshKey, type SshKeyDeps } from './ssh-key.ts'

export const getSshKey =
  (d: SshKeyDeps) =>
  async (ctx: Ctx, id: string): Promise<SshKey> => {
    const row = await findSshKey(d.db, id)
    if (row === undefined) throw notFound()
    await d.authorize(ctx, 'ssh-key:read', { organizationId: row.organizationId })
    return toSshKey(row)
  }
