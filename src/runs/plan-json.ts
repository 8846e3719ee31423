import type { Ctx } from '../platform/context.ts'
import { AppError, notFound } from '../platform/errors.ts'
import type { RunDeps } from './deps.ts'
import { getPhase } from './get-run.ts'
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
    return merge(d.blobs.get(phase.schemasBlobKey), d.blobs.get(phase.redactedJsonBlobKey))
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

/**
 * The members of both documents in one object, without parsing: the schemas of a large provider are tens of megabytes. The first key of the
 * schemas gets the name that clients look for; the runner has already done that for the plan.
 */
const merge = async function* (schemas: AsyncIterable<Buffer>, plan: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from('{')
  yield* members(schemas, /^\s*\{\s*"format_version"/, '"provider_format_version"')
  yield Buffer.from(',')
  yield* members(plan, /^\s*\{/, '')
  yield Buffer.from('}\n')
}

const HEAD_BYTES = 64
/** The closing brace and the white space after it are somewhere in these last bytes. */
const TAIL_BYTES = 16

/** The text between the outer braces of an object, its head replaced. */
const members = async function* (source: AsyncIterable<Buffer>, head: RegExp, replacement: string): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let isStarted = false
  for await (const part of source) {
    held = Buffer.concat([held, part])
    if (!isStarted && held.length >= HEAD_BYTES) {
      held = replaceHead(held, head, replacement)
      isStarted = true
    }
    if (isStarted && held.length > TAIL_BYTES) {
      yield held.subarray(0, held.length - TAIL_BYTES)
      held = held.subarray(held.length - TAIL_BYTES)
    }
  }
  if (!isStarted) held = replaceHead(held, head, replacement)
  const text = held.toString('latin1').trimEnd()
  if (!text.endsWith('}')) throw new AppError('INTERNAL', 'The stored plan document is incomplete.')
  yield Buffer.from(text.slice(0, -1), 'latin1')
}

const replaceHead = (bytes: Buffer, head: RegExp, replacement: string): Buffer => {
  const text = bytes.toString('latin1')
  if (!head.test(text)) throw new AppError('INTERNAL', 'The stored plan document has an unknown form.')
  return Buffer.from(text.replace(head, replacement), 'latin1')
}
