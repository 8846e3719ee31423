import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { RunDeps } from './deps.ts'
import { getPhase } from './get-run.ts'

/** The last state that terraform wrote in an apply and that could not become the workspace's. Throws NOT_FOUND when there is none. */
export const erroredState =
  (d: RunDeps) =>
  async (ctx: Ctx, applyId: string): Promise<AsyncIterable<Buffer>> => {
    const { phase, run } = await getPhase(d)(ctx, 'apply', applyId)
    await d.authorize(ctx, 'state:read', { organizationId: run.organizationId, workspaceId: run.workspaceId })
    if (phase.erroredStateBlobKey === null) throw notFound('Every state of this apply was stored.')
    return d.blobs.get(phase.erroredStateBlobKey)
  }
