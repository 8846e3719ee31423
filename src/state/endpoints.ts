import {
  type Endpoint,
  type Resource,
  bytes,
  download,
  empty,
  endpoint,
  jsonApi,
  many,
  one,
  paged,
  redirect,
  signedPath,
} from '../api/index.ts'
import { backingDataActions } from './backing-data/decide-backing-data.ts'
import { outputResource } from './outputs/output-resource.ts'
import { withOutputs } from './reads/with-outputs.ts'
import { stateVersionResource } from './resource.ts'
import { outputType, stateVersionType, workspaceResourceType } from './resource-types.ts'
import { CreateStateVersion, ListQuery, RollBack, WorkspaceListQuery } from './schemas.ts'
import { urlTtlMs } from './signed-kinds.ts'
import type { StateDeps, StateVersion } from './state-version.ts'
import type { StateVerbs } from './verbs.ts'

/** Of a create with the state inside, base64. Larger states are put to the upload URL. */
const INLINE_MAX_BYTES = 64 * 1024 * 1024

/**
 * Lets terraform upload snapshots during an apply on the user's machine, this many seconds apart: without them a killed one forgets everything.
 * It looks at each of these answers, errors too, and stops at one that does not say so.
 */
const headers = { 'x-terraform-snapshot-interval': '20' }

const include = ['created-by', 'run.created-by', 'run.configuration-version', 'workspace', 'outputs']

export const makeStateEndpoints = (state: StateVerbs, { db, envelope, signedUrls, limits }: StateDeps): Endpoint[] => {
  const toResource = stateVersionResource(signedUrls)
  const present = async (version: StateVersion): Promise<Resource[]> => (await withOutputs(db, [version])).map(toResource)
  const single = async (version: StateVersion) => one((await present(version))[0] ?? null)
  const shown = outputResource(envelope, { hidesSensitive: false })
  const hidden = outputResource(envelope, { hidesSensitive: true })

  return [
    endpoint({
      method: 'POST',
      path: 'workspaces/:id/state-versions',
      auth: 'token',
      headers,
      body: jsonApi(CreateStateVersion, { type: 'state-versions', maxBytes: INLINE_MAX_BYTES }),
      include,
      status: 201,
      answer: { one: stateVersionType },
      handle: async (ctx, { params, body }) => single(await state.create(ctx, params.id, body)),
    }),
    endpoint({
      method: 'PATCH',
      path: 'workspaces/:id/state-versions',
      auth: 'token',
      body: jsonApi(RollBack, { type: 'state-versions' }),
      include,
      status: 201,
      answer: { one: stateVersionType },
      handle: async (ctx, { params, body }) => single(await state.rollBack(ctx, params.id, body.rollbackStateVersion)),
    }),
    endpoint({
      method: 'GET',
      path: 'state-versions',
      auth: 'token',
      query: ListQuery,
      include,
      status: 200,
      answer: { paged: stateVersionType },
      handle: async (ctx, { query, page }) => {
        const ref = { organization: query['filter[organization][name]'], name: query['filter[workspace][name]'] }
        const { items, total } = await state.list(ctx, ref, query['filter[status]'], page)
        return paged(items.map(toResource), total)
      },
    }),
    endpoint({
      method: 'GET',
      path: 'workspaces/:id/state-versions',
      auth: 'token',
      query: WorkspaceListQuery,
      include,
      status: 200,
      answer: { paged: stateVersionType },
      handle: async (ctx, { params, query, page }) => {
        const { items, total } = await state.list(ctx, { id: params.id }, query['filter[status]'], page)
        return paged(items.map(toResource), total)
      },
    }),
    endpoint({
      method: 'GET',
      path: 'state-versions/:id',
      auth: 'token',
      headers,
      include,
      status: 200,
      answer: { one: stateVersionType },
      handle: async (ctx, { params }) => single(await state.get(ctx, params.id)),
    }),
    endpoint({
      method: 'GET',
      path: 'workspaces/:id/current-state-version',
      auth: 'token',
      headers,
      include,
      status: 200,
      answer: { one: stateVersionType },
      handle: async (ctx, { params }) => single(await state.getCurrent(ctx, params.id)),
    }),
    endpoint({
      method: 'GET',
      path: 'state-versions/:id/download',
      auth: 'token',
      status: 302,
      answer: 'redirect',
      handle: async (ctx, { params }) => redirect(signedUrls.sign('state', (await state.get(ctx, params.id)).id, urlTtlMs)),
    }),
    endpoint({
      method: 'GET',
      path: 'state-versions/:id/outputs',
      auth: 'token',
      status: 200,
      answer: { paged: outputType },
      handle: async (ctx, { params, page }) => {
        const { items, total } = await state.listOutputs(ctx, params.id, page)
        return paged(items.map(shown), total)
      },
    }),
    endpoint({
      method: 'GET',
      path: 'workspaces/:id/current-state-version-outputs',
      auth: 'token',
      status: 200,
      answer: { many: outputType, isPagedWhenAsked: true },
      handle: async (ctx, { params, page }) => {
        if (page.requested) {
          const { items, total } = await state.listCurrentOutputs(ctx, params.id, page)
          return paged(items.map(hidden), total)
        }
        // terraform output reads one page and no more.
        const { items } = await state.listCurrentOutputs(ctx, params.id, { ...page, size: Number.MAX_SAFE_INTEGER })
        return many(items.map(hidden))
      },
    }),
    endpoint({
      method: 'GET',
      path: 'state-version-outputs/:id',
      auth: 'token',
      status: 200,
      answer: { one: outputType },
      handle: async (ctx, { params }) => one(shown(await state.getOutput(ctx, params.id))),
    }),
    endpoint({
      method: 'GET',
      path: 'workspaces/:id/resources',
      auth: 'token',
      status: 200,
      answer: { paged: workspaceResourceType },
      handle: async (ctx, { params, page }) => {
        const { items, total } = await state.listResources(ctx, params.id, page)
        return paged(items, total)
      },
    }),
    ...backingDataActions.map((action) =>
      endpoint({
        method: 'POST',
        path: `state-versions/:id/actions/${action}`,
        auth: 'token',
        status: 200,
        answer: 'empty',
        handle: async (ctx, { params }) => {
          await state.changeBackingData(ctx, params.id, action)
          return empty()
        },
      }),
    ),
    endpoint({
      method: 'GET',
      path: signedPath('state'),
      auth: 'signed',
      status: 200,
      answer: { bytes: 'application/json' },
      handle: async (_, { params }) =>
        download({ ...(await state.openDownload(signedUrls.verify('state', params), 'state')), contentType: 'application/json' }),
    }),
    endpoint({
      method: 'GET',
      path: signedPath('json-state'),
      auth: 'signed',
      status: 200,
      answer: { bytes: 'application/json' },
      handle: async (_, { params }) =>
        download({ ...(await state.openDownload(signedUrls.verify('json-state', params), 'json-state')), contentType: 'application/json' }),
    }),
    endpoint({
      method: 'PUT',
      path: signedPath('state-upload'),
      auth: 'signed',
      body: bytes({ maxBytes: limits.maxBytes }),
      status: 200,
      handle: async (_, { params, body }) => {
        await state.upload(signedUrls.verify('state-upload', params), body.stream)
        return empty()
      },
    }),
    endpoint({
      method: 'PUT',
      path: signedPath('json-state-upload'),
      auth: 'signed',
      body: bytes({ maxBytes: limits.maxBytes }),
      status: 200,
      handle: async (_, { params, body }) => {
        await state.uploadJson(signedUrls.verify('json-state-upload', params), body.stream)
        return empty()
      },
    }),
  ]
}
