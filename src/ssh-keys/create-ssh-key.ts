import type { Ctx } from '../platform/context.ts'
import { newId } from '../platform/ids.ts'
import { insertSshKey } from './queries.ts'
import type { CreateSshKey } from './schemas.ts'
import { sealingContext, toSshKey, type SshKey, type SshKeyDeps, type SshKeyRow } from './ssh-key.ts'

export const createSshKey =
  (d: SshKeyDeps) =>
  async (ctx: Ctx, organizationName: string, input: CreateSshKey): Promise<SshKey> => {
    const organization = await d.getOrganization(ctx, organizationName, 'ssh-key:write')
    const id = newId('sshkey')
    const now = d.clock.now()
    const row: SshKeyRow = {
      id,
      organizationId: organization.id,
      name: input.name,
      valueSealed: d.envelope.seal(input.value, sealingContext(id)),
      createdAt: now,
      updatedAt: now,
    }
    await d.db.transaction(async (tx) => {
      await insertSshKey(tx, row)
      await d.outbox.emit(tx, { type: 'ssh-key.created', subject: id, organizationId: organization.id })
    })
    return toSshKey(row)
  }
