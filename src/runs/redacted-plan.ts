import type { Ctx } from '../platform/context.ts'
import type { RunDeps } from './deps.ts'
import { getPhase } from './get-run.ts'

/** The plan's document without sensitive values and without provider schemas; undefined when there is none, or none yet. Throws NOT_FOUND. */
export const redactedPlan =
  (d: RunDeps) =>
  async (ctx: Ctx, planId: string): Promise<AsyncIterable<Buffer> | undefined> => {
    const { phase } = await getPhase(d)(ctx, 'plan', planId)
    return phase.redactedJsonBlobKey === null ? undefined : d.blobs.get(phase.redactedJsonBlobKey)
  }
