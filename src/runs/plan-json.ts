import type { Ctx } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { RunDeps } from './deps.ts'
import { getPhase } from './get-run.ts'
import { mergeDocuments } from './merge-documents.ts'
import type { PhaseRow } from './run.ts'
import { isPhaseFinal } from './statuses.ts'

/** `terraform show -json` of the plan, byte for byte; undefined while it is not there yet. It holds sensitive values. Throws NOT_FOUND. */
export const planJson =
  (d: RunDeps) =>
  async (ctx: Ctx, planId: string): Promise<AsyncIterable<Buffer> | undefined> => {
    const { phase, run } = await getPhase(d)(ctx, 'plan', planId)
    await d.authorize(ctx, 'plan-json:read', { organizationId: run.organizationId, workspaceId: run.workspaceId })
    return phase.planJsonBlobKey === null ? unfinished(phase) : d.blobs.get(phase.planJsonBlobKey)
  }

/**
 * What the CLI renders a plan from: the plan's document without sensitive values, and the provider schemas, in one object.
 * Undefined while the plan is not finished.
 */
export const redactedPlanJson =
  (d: RunDeps) =>
  async (ctx: Ctx, planId: string): Promise<AsyncIterable<Buffer> | undefined> => {
    const { phase } = await getPhase(d)(ctx, 'plan', planId)
    if (phase.redactedJsonBlobKey === null || phase.schemasBlobKey === null) return unfinished(phase)
    return mergeDocuments(d.blobs.get(phase.schemasBlobKey), d.blobs.get(phase.redactedJsonBlobKey))
  }

export const providerSchemas =
  (d: RunDeps) =>
  async (ctx: Ctx, planId: string): Promise<AsyncIterable<Buffer> | undefined> => {
    const { phase } = await getPhase(d)(ctx, 'plan', planId)
    return phase.schemasBlobKey === null ? unfinished(phase) : d.blobs.get(phase.schemasBlobKey)
  }

const unfinished = (phase: PhaseRow): undefined => {
  if (isPhaseFinal(phase.status)) throw notFound('The plan has no JSON output.')
  return undefined
}
