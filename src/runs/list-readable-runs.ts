import type { Ctx } from '../platform/context.ts'
import type { RunDeps } from './deps.ts'
import { listRunsById } from './queries.ts'
import type { RunRow } from './run.ts'

/** Those of the runs that exist and that the actor may read, by id. */
export const listReadableRuns =
  (d: RunDeps) =>
  async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, RunRow>> => {
    const readable = new Map<string, RunRow>()
    for (const run of await listRunsById(d.db, [...new Set(ids)])) {
      if ((await d.permissionsOf(ctx, run.organizationId, run.workspaceId)).has('run:read')) readable.set(run.id, run)
    }
    return readable
  }
