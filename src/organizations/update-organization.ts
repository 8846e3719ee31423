import { isDeepStrictEqual } from 'node:util'
import type { Ctx } from '../platform/context.ts'
import { invalid, notFound } from '../platform/errors.ts'
import type { OrganizationDeps } from './deps.ts'
import type { GetOrganization } from './get-organization.ts'
import { refuseTakenName } from './name-taken.ts'
import { type Organization, type OrganizationRow, toOrganization } from './organization.ts'
import { lockOrganization, saveOrganization } from './queries.ts'
import type { UpdateOrganization } from './schemas.ts'
import { defaultSettings, mergeSettings } from './settings.ts'

/**
 * Absent members stay; when nothing differs nothing is written. A rename changes every URL at once, and is refused (INVALID) while
 * runs are in progress: their workers and logs know the old one.
 */
export const updateOrganization =
  (d: OrganizationDeps, get: GetOrganization) =>
  async (ctx: Ctx, name: string, input: UpdateOrganization): Promise<Organization> => {
    const { id, defaultProjectId, name: formerName } = await get(ctx, name, 'organization:update')
    if (input.name !== undefined && input.name !== formerName) await refuseWhileRunning(d, id)
    const update = d.db.transaction(async (tx) => {
      const before = await lockOrganization(tx, id)
      if (before === undefined) throw notFound()
      const after = { ...merged(before, input), updatedAt: d.clock.now() }
      if (isDeepStrictEqual({ ...after, updatedAt: before.updatedAt }, before)) return before
      await saveOrganization(tx, after)
      await d.outbox.emit(tx, { type: 'organization.updated', subject: id, organizationId: id })
      return after
    })
    return toOrganization({ row: await refuseTakenName(update), defaultProjectId })
  }

const merged = (before: OrganizationRow, input: UpdateOrganization): OrganizationRow => {
  const name = input.name ?? before.name
  return {
    ...before,
    name,
    nameKey: name.toLowerCase(),
    email: input.email ?? before.email,
    defaultExecutionMode: input.defaultExecutionMode ?? before.defaultExecutionMode,
    userTokensEnabled: input.userTokensEnabled ?? before.userTokensEnabled,
    allowForceDeleteWorkspaces: input.allowForceDeleteWorkspaces ?? before.allowForceDeleteWorkspaces,
    settings: mergeSettings({ ...defaultSettings, ...before.settings }, input),
  }
}

const refuseWhileRunning = async (d: OrganizationDeps, id: string): Promise<void> => {
  const { pending, running } = await d.runCounts(id)
  if (pending + running > 0) throw invalid('Name cannot be changed while runs are in progress', 'name')
}
