import { z } from 'zod'
import { commaList, empty, endpoint, jsonApi, one, paged, plainJson, type Endpoint } from '../../api/index.ts'
import type { Runs } from '../index.ts'
import type { ListFilter } from '../list-filter.ts'
import { runResource } from '../resource.ts'
import { runType } from '../resource-types.ts'
import { CreateRun, RunAction } from '../schemas.ts'

const ListQuery = z.object({
  'filter[status]': commaList.optional(),
  'filter[status_group]': z.string().optional(),
  'filter[source]': commaList.optional(),
  'filter[operation]': commaList.optional(),
  'filter[workspace_names]': commaList.optional(),
  'filter[agent_pool_names]': commaList.optional(),
  'filter[timeframe]': z.string().optional(),
  'search[user]': z.string().optional(),
  'search[commit]': z.string().optional(),
  'search[basic]': z.string().optional(),
})

const listFilter = (query: z.output<typeof ListQuery>): ListFilter => ({
  statuses: query['filter[status]'],
  statusGroup: query['filter[status_group]'],
  sources: query['filter[source]'],
  operations: query['filter[operation]'],
  workspaceNames: query['filter[workspace_names]'],
  agentPoolNames: query['filter[agent_pool_names]'],
  timeframe: query['filter[timeframe]'],
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

export const runEndpoints = (runs: Runs): Endpoint[] => [
  endpoint({
    method: 'POST',
    path: 'runs',
    auth: 'token',
    body: jsonApi(CreateRun, { type: 'runs' }),
    include: RUN_INCLUDES,
    status: 201,
    answer: { one: runType },
    handle: async (ctx, { body }) => one(runResource(await runs.getRun(ctx, (await runs.createRun(ctx, body)).id))),
  }),
  endpoint({
    method: 'GET',
    path: 'runs/:id',
    auth: 'token',
    include: RUN_INCLUDES,
    status: 200,
    answer: { one: runType },
    handle: async (ctx, { params }) => one(runResource(await runs.getRun(ctx, params.id))),
  }),
  endpoint({
    method: 'GET',
    path: 'workspaces/:id/runs',
    auth: 'token',
    query: ListQuery,
    include: RUN_INCLUDES,
    status: 200,
    answer: { paged: runType },
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
    answer: { paged: runType },
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
    answer: { paged: runType },
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
]
