import type { Permission } from '../../organizations/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { findAllowed, holdsLock } from '../../workspaces/index.ts'
import { findCurrent, findNewestSnapshot } from '../queries.ts'
import type { StateDeps, StateVersion } from '../state-version.ts'

/**
 * What the actor takes for the current version of the workspace; undefined when there is none. A new version becomes current at unlock,
 * but the holder of the lock reads what it has written: a second `terraform apply -lock=false` under the same lock must not begin with
 * the state before the first one.
 */
export const findVisible = async (
  deps: Pick<StateDeps, 'db' | 'authorize'>,
  ctx: Ctx,
  workspaceId: string,
  permission: Permission,
): Promise<StateVersion | undefined> => {
  const { row } = await findAllowed(deps, ctx, deps.db, { id: workspaceId }, permission)
  const own = holdsLock(row, ctx.actor) ? await findNewestSnapshot(deps.db, row.id) : undefined
  return own ?? findCurrent(deps.db, row.id)
}
