import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { findOrganization, lockWorkspaceRow } from '../queries.ts'
import { deleteBindings, dropUnusedTags, listTagsById } from '../tags/queries.ts'
import type { WorkspaceDeps } from '../workspace.ts'
import { listCarriers } from './queries.ts'

/** Takes the tags from every workspace of the organization, values included; ids that are none of its tags are no error. */
export const deleteOrganizationTags =
  ({ db, authorize }: WorkspaceDeps) =>
  async (ctx: Ctx, organizationName: string, ids: readonly string[]): Promise<void> => {
    const organization = await findOrganization(db, organizationName)
    if (organization === undefined) throw notFound()
    await authorize(ctx, 'workspace:update', { organizationId: organization.id })
    await db.transaction(async (tx) => {
      const names = (await listTagsById(tx, organization.id, ids)).map(({ name }) => name)
      for (const id of await listCarriers(tx, organization.id, names)) {
        if ((await lockWorkspaceRow(tx, id)) !== undefined) await deleteBindings(tx, id, names)
      }
      await dropUnusedTags(tx, organization.id, names)
    })
  }
