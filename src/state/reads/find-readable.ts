import type { Permission } from '../../organizations/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { findAllowed } from '../../workspaces/index.ts'
import { findStateVersion } from '../queries.ts'
import type { StateDeps, StateVersion } from '../state-version.ts'

/** The version, if the actor holds `permission` on its workspace. Throws NOT_FOUND for what is missing and for what is not allowed. */
export const findReadable = async (
  deps: Pick<StateDeps, 'db' | 'authorize'>,
  ctx: Ctx,
  id: string,
  permission: Permission,
): Promise<StateVersion> => {
  const version = await findStateVersion(deps.db, id)
  if (version === undefined) throw notFound()
  await findAllowed(deps, ctx, deps.db, { id: version.workspaceId }, permission)
  return version
}
