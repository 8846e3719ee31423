import { Readable } from 'node:stream'
import { z } from 'zod'
import {
  bytes,
  commaList,
  download,
  empty,
  endpoint,
  jsonApi,
  many,
  one,
  paged,
  plainJson,
  redirect,
  signedPath,
  type Endpoint,
} from '../api/index.ts'
import type { Runs } from './index.ts'
import { applyResource, commentResource, configurationVersionResource, planResource, runEventResource, runResource } from './resource.ts'
import { CreateConfigurationVersion, CreateRun, RunAction } from './schemas.ts'
import type { ListRuns } from './list-runs.ts'

const UPLOAD_URL_MS = 25 * 3_600_000
const JSON_URL_MS = 60_000

const ListQuery = z.object({
  'filter[status]': commaList.optional(),
  'filter[status_group]': z.string().optional(),
  'filter[source]': commaList.optional(),
  'filter[operation]': commaList.optional(),
  'filter[workspace_names]': commaList.optional(),
  'search[user]': z.string().optional(),
  'search[commit]': z.string().optional(),
  'search[basic]': z.string().optional(),
})

const listFilter = (query: z.output<typeof ListQuery>): ListRuns => ({
  statuses: query['filter[status]'],
  statusGroup: query['filter[status_group]'],
  sources: query['filter[source]'],
  operations: query['filter[operation]'],
  workspaceNames: query['filter[workspace_names]'],
  user: query['search[user]'],
  commit: query['search[commit]'],
  basic: query['search[basic]'],
})

const RUN_INCLUDES = [
  'plan',
  'apply',
  'created-by',
  'configuration-version',
  'configuration-version.ingress-attributes',
  'workspace',
  'task-stages',
  'cost-estimate',
  'tf-policy-evaluations',
]

const runEndpoints = (runs: Runs): Endpoint[] => [
  endpoint({
    method: 'POST',
    path: 'runs',
    auth: 'token',
    body: jsonApi(CreateRun, { type: 'runs' }),
    include: RUN_INCLUDES,
    status: 201,
    handle: async (ctx, { body }) => one(runResource(await runs.getRun(ctx, (await runs.createRun(ctx, body)).id))),
  }),
  endpoint({
    method: 'GET',
    path: 'runs/:id',
    auth: 'token',
    include: RUN_INCLUDES,
    status: 200,
    handle: async (ctx, { params }) => one(runResource(await runs.getRun(ctx, params.id))),
  }),
  endpoint({
    method: 'GET',
    path: 'workspaces/:id/runs',
    auth: 'token',
    query: ListQuery,
    include: RUN_INCLUDES,
    status: 200,
    handle: async (ctx, { params, query, page }) => {
      const { items, total } = await runs.listWorkspaceRuns(ctx, params.id, listFilter(query), page)
      return paged(items.map(runResource), total)
    },
  }),
  endpoint({
    method: 'GET',
    path: 'organizations/:name/runs',
    auth: 'token',
    query: ListQuery,
    include: RUN_INCLUDES,
    status: 200,
    handle: async (ctx, { params, query, page }) => {
      const { items, hasMore } = await runs.listOrganizationRuns(ctx, params.name, listFilter(query), page)
      return paged(items.map(runResource), { hasMore })
    },
  }),
  endpoint({
    method: 'GET',
    path: 'organizations/:name/runs/queue',
    auth: 'token',
    include: RUN_INCLUDES,
    status: 200,
    handle: async (ctx, { params, page }) => {
      const { items, total } = await runs.listRunQueue(ctx, params.name, page)
      return paged(items.map(runResource), total)
    },
  }),
  ...(['apply', 'discard', 'cancel', 'force-cancel'] as const).map((action) =>
    endpoint({
      method: 'POST',
      path: `runs/:id/actions/${action}` as 'runs/:id/actions/apply',
      auth: 'token',
      body: plainJson(RunAction),
      status: 202,
      handle: async (ctx, { params, body }) => {
        const act = { apply: runs.confirmRun, discard: runs.discardRun, cancel: runs.cancelRun, 'force-cancel': runs.forceCancelRun }[
          action
        ]
        await act(ctx, params.id, body.comment ?? undefined)
        return empty()
      },
    }),
  ),
  endpoint({
    method: 'POST',
    path: 'runs/:id/actions/force-execute',
    auth: 'token',
    status: 202,
    handle: async (ctx, { params }) => {
      await runs.forceExecuteRun(ctx, params.id)
      return empty()
    },
  }),
  endpoint({
    method: 'GET',
    path: 'runs/:id/run-events',
    auth: 'token',
    include: ['actor', 'comment'],
    status: 200,
    handle: async (ctx, { params }) => many((await runs.getRun(ctx, params.id)).events.map(runEventResource)),
  }),
  endpoint({
    method: 'GET',
    path: 'run-events/:id',
    auth: 'token',
    include: ['actor', 'comment'],
    status: 200,
    handle: async (ctx, { params }) => one(runEventResource(await runs.getRunEvent(ctx, params.id))),
  }),
  endpoint({
    method: 'GET',
    path: 'runs/:id/comments',
    auth: 'token',
    status: 200,
    handle: async (ctx, { params }) => many((await runs.getRun(ctx, params.id)).comments.map(commentResource)),
  }),
]

const planEndpoints = (runs: Runs): Endpoint[] => {
  const jsonOutput = (
    path: 'plans/:id/json-output' | 'runs/:id/plan/json-output' | 'plans/:id/json-output-redacted' | 'plans/:id/json-schema',
    kind: 'plan-json' | 'plan-json-redacted' | 'plan-schemas',
  ) =>
    endpoint({
      method: 'GET',
      path,
      auth: 'token',
      status: 307,
      handle: async (ctx, { params }) => {
        const planId = path.startsWith('runs/') ? (await runs.getRun(ctx, params.id)).run.planId : params.id
        const content = await runs.planDocument(ctx, kind, planId)
        if (content === undefined) return empty({ status: 204 })
        return redirect(runs.signedUrls.sign(kind, planId, JSON_URL_MS))
      },
    })
  const document = (kind: 'plan-json' | 'plan-json-redacted' | 'plan-schemas') =>
    endpoint({
      method: 'GET',
      path: signedPath(kind),
      auth: 'signed',
      status: 200,
      handle: async (ctx, { params }) => {
        const content = await runs.planDocument(
          { ...ctx, actor: { kind: 'system', name: 'signed-url' } },
          kind,
          runs.signedUrls.verify(kind, params),
        )
        return content === undefined
          ? empty({ status: 204 })
          : download({ content: Readable.from(content), contentType: 'application/json' })
      },
    })
  return [
    endpoint({
      method: 'GET',
      path: 'plans/:id',
      auth: 'token',
      status: 200,
      handle: async (ctx, { params }) => {
        const { phase, run } = await runs.getPhase(ctx, 'plan', params.id)
        return one(planResource(runs, phase, run))
      },
    }),
    endpoint({
      method: 'GET',
      path: 'applies/:id',
      auth: 'token',
      status: 200,
      handle: async (ctx, { params }) => {
        const { phase } = await runs.getPhase(ctx, 'apply', params.id)
        return one(applyResource(runs, phase, await runs.stateVersionIdsOf(phase.runId)))
      },
    }),
    jsonOutput('plans/:id/json-output', 'plan-json'),
    jsonOutput('runs/:id/plan/json-output', 'plan-json'),
    jsonOutput('plans/:id/json-output-redacted', 'plan-json-redacted'),
    jsonOutput('plans/:id/json-schema', 'plan-schemas'),
    document('plan-json'),
    document('plan-json-redacted'),
    document('plan-schemas'),
    endpoint({
      method: 'GET',
      path: signedPath('log'),
      auth: 'signed',
      query: z.object({
        limit: z.coerce.number().int().min(0).catch(65_536).optional(),
        offset: z.coerce.number().int().min(0).catch(0).optional(),
      }),
      status: 200,
      handle: async (_ctx, { params, query }) => {
        const content = await runs.readLog(runs.signedUrls.verify('log', params), query.offset ?? 0, query.limit ?? 65_536)
        return download({
          content,
          contentType: 'text/plain; charset=utf-8',
          sizeBytes: content.length,
          headers: { 'Cache-Control': 'no-store' },
        })
      },
    }),
  ]
}

const configurationEndpoints = (runs: Runs, maxBytes: number): Endpoint[] => [
  endpoint({
    method: 'POST',
    path: 'workspaces/:id/configuration-versions',
    auth: 'token',
    body: jsonApi(CreateConfigurationVersion, { type: 'configuration-versions', optional: true }),
    status: 201,
    handle: async (ctx, { params, body }) => {
      const row = await runs.createConfigurationVersion(ctx, params.id, body ?? {})
      return one(configurationVersionResource(row, runs.signedUrls.sign('configuration', row.id, UPLOAD_URL_MS)))
    },
  }),
  endpoint({
    method: 'GET',
    path: 'workspaces/:id/configuration-versions',
    auth: 'token',
    include: ['ingress-attributes', 'run'],
    status: 200,
    handle: async (ctx, { params, page }) => {
      const { items, totalCount } = await runs.listConfigurations(ctx, params.id, page)
      return paged(
        items.map((row) => configurationVersionResource(row)),
        totalCount,
      )
    },
  }),
  endpoint({
    method: 'GET',
    path: 'configuration-versions/:id',
    auth: 'token',
    include: ['ingress-attributes', 'run'],
    status: 200,
    handle: async (ctx, { params }) => one(configurationVersionResource(await runs.getConfigurationVersion(ctx, params.id))),
  }),
  endpoint({
    method: 'GET',
    path: 'configuration-versions/:id/download',
    auth: 'token',
    status: 200,
    handle: async (ctx, { params }) => {
      const { content, sizeBytes } = await runs.downloadConfiguration(ctx, params.id)
      return download({ content: Readable.from(content), contentType: 'application/octet-stream', sizeBytes })
    },
  }),
  endpoint({
    method: 'POST',
    path: 'configuration-versions/:id/actions/archive',
    auth: 'token',
    status: 202,
    handle: async (ctx, { params }) => {
      await runs.archiveConfiguration(ctx, params.id)
      return empty()
    },
  }),
  endpoint({
    method: 'PUT',
    path: signedPath('configuration'),
    auth: 'signed',
    body: bytes({ maxBytes }),
    status: 200,
    handle: async (ctx, { params, body }) => {
      await runs.uploadConfiguration(ctx, runs.signedUrls.verify('configuration', params), body)
      return empty()
    },
  }),
]

/** Runs, plans, applies, their logs and documents, configuration versions. */
export const makeRunEndpoints = (runs: Runs, limits: { configurationBytes: number }): Endpoint[] => [
  ...runEndpoints(runs),
  ...planEndpoints(runs),
  ...configurationEndpoints(runs, limits.configurationBytes),
]
