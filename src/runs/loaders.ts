import type { Loaders } from '../api/index.ts'
import type { Ctx } from '../platform/context.ts'
import { groupBy } from '../platform/group-by.ts'
import { listConfigurationVersionsById } from './configuration-queries.ts'
import type { RunDeps } from './deps.ts'
import { describeRuns } from './describe-runs.ts'
import { listCommentsById, listRunEventsById } from './event-queries.ts'
import { listOrganizationIds, listPhasesById, listRunsById, listStateVersionIds } from './queries.ts'
import { applyResource, commentResource, configurationVersionResource, planResource, runEventResource, runResource } from './resource.ts'
import type { RunRow } from './run.ts'

/** Loads what other resources include: runs, plans, applies, configuration versions, run events, comments. */
export const makeRunLoaders = (d: RunDeps): Loaders => {
  const readableRuns = async (ctx: Ctx, ids: string[]): Promise<Map<string, RunRow>> => {
    const readable = new Map<string, RunRow>()
    for (const run of await listRunsById(d.db, [...new Set(ids)])) {
      if ((await d.permissionsOf(ctx, run.organizationId, run.workspaceId)).has('run:read')) readable.set(run.id, run)
    }
    return readable
  }
  const ofReadableRuns = async <T extends { runId: string }>(ctx: Ctx, items: T[]): Promise<{ item: T; run: RunRow }[]> => {
    const runs = await readableRuns(
      ctx,
      items.map((item) => item.runId),
    )
    return items.flatMap((item) => {
      const run = runs.get(item.runId)
      return run === undefined ? [] : [{ item, run }]
    })
  }
  return {
    runs: async (ctx, ids) => (await describeRuns(d, ctx, [...(await readableRuns(ctx, ids)).values()])).map(runResource),
    plans: async (ctx, ids) =>
      (await ofReadableRuns(ctx, await listPhasesById(d.db, ids))).map(({ item, run }) => planResource(d, item, run)),
    applies: async (ctx, ids) => {
      const phases = await ofReadableRuns(ctx, await listPhasesById(d.db, ids))
      const states = groupBy(
        await listStateVersionIds(
          d.db,
          phases.map(({ run }) => run.id),
        ),
        (state) => state.runId,
      )
      return phases.map(({ item }) =>
        applyResource(
          d,
          item,
          (states.get(item.runId) ?? []).map((state) => state.id),
        ),
      )
    },
    'configuration-versions': async (ctx, ids) => {
      const rows = await listConfigurationVersionsById(d.db, ids)
      const organizations = await listOrganizationIds(
        d.db,
        rows.map((row) => row.workspaceId),
      )
      const kept = []
      for (const row of rows) {
        const organizationId = organizations.get(row.workspaceId)
        if (organizationId !== undefined && (await d.permissionsOf(ctx, organizationId, row.workspaceId)).has('run:read')) kept.push(row)
      }
      return kept.map((row) => configurationVersionResource(row))
    },
    'run-events': async (ctx, ids) =>
      (await ofReadableRuns(ctx, await listRunEventsById(d.db, ids))).map(({ item }) => runEventResource(item)),
    comments: async (ctx, ids) => (await ofReadableRuns(ctx, await listCommentsById(d.db, ids))).map(({ item }) => commentResource(item)),
  }
}
