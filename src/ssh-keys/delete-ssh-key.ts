import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { updateWorkspaceRow } from '../workspaces/index.ts'
import { deleteSshKeyRow, findSshKey, lockSshKey, lockWorkspacesWithKey } from './queries.ts'
import type { SshKeyDeps } from './ssh-key.ts'

/** The workspaces that use the key are left without one. */
export const deleteSshKey =
  (d: SshKeyDeps) =>
  (ctx: Ctx, id: string): Promise<void> =>
    d.db.transaction(async (tx) => {
      const row = await findSshKey(tx, id)
      if (row === undefined) throw notFound()
      const { organizationId } = row
      await d.authorize(ctx, 'ssh-key:write', { organizationId }, tx)
      const users = new Set(await lockWorkspacesWithKey(tx, row))
      await lockSshKey(tx, id)
      // again, for whoever took the key while its row was waited for
      for (const user of await lockWorkspacesWithKey(tx, row)) users.add(user)
      for (const workspaceId of users) {
        const saved = await updateWorkspaceRow(tx, workspaceId, { sshKeyId: null, updatedAt: d.clock.now() })
        await d.outbox.emit(tx, { type: 'workspace.updated', subject: workspaceId, organizationId, version: saved.version })
      }
      await deleteSshKeyRow(tx, id)
      await d.outbox.emit(tx, { type: 'ssh-key.deleted', subject: id, organizationId })
    })
