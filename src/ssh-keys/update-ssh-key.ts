import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { lockSshKey, saveSshKey } from './queries.ts'
import type { UpdateSshKey } from './schemas.ts'
import { toSshKey, type SshKey, type SshKeyDeps } from './ssh-key.ts'

/** Changes the name. The key itself never changes: another one is another key. */
export const updateSshKey =
  (d: SshKeyDeps) =>
  (ctx: Ctx, id: string, { name }: UpdateSshKey): Promise<SshKey> =>
    d.db.transaction(async (tx) => {
      const before = await lockSshKey(tx, id)
      if (before === undefined) throw notFound()
      await d.authorize(ctx, 'ssh-key:write', { organizationId: before.organizationId }, tx)
      if (name === undefined || name === before.name) return toSshKey(before)
      const after = { ...before, name, updatedAt: d.clock.now() }
      await saveSshKey(tx, after)
      await d.outbox.emit(tx, { type: 'ssh-key.updated', subject: id, organizationId: after.organizationId })
      return toSshKey(after)
    })
