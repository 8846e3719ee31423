import type { Ctx } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { lockAllowed, updateWorkspaceRow } from '../workspaces/index.ts'
import { lockSshKey } from './queries.ts'
import type { SshKeyDeps } from './ssh-key.ts'

/** Gives the workspace the key with which its runs fetch modules, or none. INVALID for a key that the organization does not have. */
export const assignSshKey =
  (d: SshKeyDeps) =>
  (ctx: Ctx, workspaceId: string, sshKeyId: string | null): Promise<void> =>
    d.db.transaction(async (tx) => {
      const { row } = await lockAllowed(d, ctx, tx, { id: workspaceId }, 'workspace:update')
      if (sshKeyId !== null) {
        const key = await lockSshKey(tx, sshKeyId)
        if (key?.organizationId !== row.organizationId) throw invalid('SSH key does not exist in this organization', 'id')
      }
      if (row.sshKeyId === sshKeyId) return
      const saved = await updateWorkspaceRow(tx, row.id, { sshKeyId, updatedAt: d.clock.now() })
      await d.outbox.emit(tx, { type: 'workspace.updated', subject: row.id, organizationId: row.organizationId, version: saved.version })
    })
