import type { Ctx } from '../platform/context.ts'
import type { OrganizationDeps } from './deps.ts'
import type { GetOrganization } from './get-organization.ts'
import { deleteOrganizationRow } from './queries.ts'

/** With its projects, workspaces, runs, states and tokens. Listeners of `organization.deleted` end what still runs. */
export const deleteOrganization =
  (d: OrganizationDeps, get: GetOrganization) =>
  async (ctx: Ctx, name: string): Promise<void> => {
    const { id } = await get(ctx, name, 'organization:delete')
    await d.db.transaction(async (tx) => {
      await d.accounts.organizationTokens.removeAll(tx, id)
      await deleteOrganizationRow(tx, id)
      await d.outbox.emit(tx, { type: 'organization.deleted', subject: id, organizationId: id })
    })
  }
