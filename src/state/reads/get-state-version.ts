import type { Ctx } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { StateDeps, StateVersion } from '../state-version.ts'
import { findReadable } from './find-readable.ts'
import { findVisible } from './find-visible.ts'

/** Errors: NOT_FOUND. */
export const getStateVersion =
  (deps: Pick<StateDeps, 'db' | 'authorize'>) =>
  (ctx: Ctx, id: string): Promise<StateVersion> =>
    findReadable(deps, ctx, id, 'state:read')

/** Errors: NOT_FOUND, also for a workspace without state: terraform takes that for an empty one. */
export const getCurrentStateVersion =
  (deps: Pick<StateDeps, 'db' | 'authorize'>) =>
  async (ctx: Ctx, workspaceId: string): Promise<StateVersion> => {
    const version = await findVisible(deps, ctx, workspaceId, 'state:read')
    if (version === undefined) throw notFound()
    return version
  }
