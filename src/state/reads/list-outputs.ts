import type { Page } from '../../api/index.ts'
import type { Ctx } from '../../platform/context.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { listOutputs as query, listOutputsById } from '../queries.ts'
import type { StateDeps, StateOutput } from '../state-version.ts'
import { findReadable } from './find-readable.ts'
import { findVisible } from './find-visible.ts'

type Deps = Pick<StateDeps, 'db' | 'authorize'>
type Outputs = { items: StateOutput[]; total: number }

/** Outputs of a version; none while it is being processed. Errors: NOT_FOUND. */
export const listOutputs =
  (deps: Deps) =>
  async (ctx: Ctx, stateVersionId: string, page: Page): Promise<Outputs> => {
    const version = await findReadable(deps, ctx, stateVersionId, 'state:read-outputs')
    return query(deps.db, version.id, page)
  }

/**
 * Outputs of the current state; none when there is no state. Errors: NOT_FOUND; UNAVAILABLE while they are being processed, which
 * terraform repeats because of its title.
 */
export const listCurrentOutputs =
  (deps: Deps) =>
  async (ctx: Ctx, workspaceId: string, page: Page): Promise<Outputs> => {
    const version = await findVisible(deps, ctx, workspaceId, 'state:read-outputs')
    if (version === undefined) return { items: [], total: 0 }
    const outputs = await query(deps.db, version.id, page)
    if (outputs.total === 0 && !version.areResourcesProcessed)
      throw new AppError('UNAVAILABLE', 'The outputs of the current state are still being processed.')
    return outputs
  }

/** One output with its value, sensitive or not. Errors: NOT_FOUND. */
export const getOutput =
  (deps: Deps) =>
  async (ctx: Ctx, id: string): Promise<StateOutput> => {
    const [found] = await listOutputsById(deps.db, [id])
    if (found === undefined) throw notFound()
    await findReadable(deps, ctx, found.version.id, 'state:read-outputs')
    return found.output
  }
