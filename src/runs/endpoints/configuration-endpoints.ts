import { Readable } from 'node:stream'
import { bytes, download, empty, endpoint, jsonApi, one, paged, signedPath, type Endpoint } from '../../api/index.ts'
import { backingDataActions } from '../../state/index.ts'
import type { Runs } from '../index.ts'
import { configurationVersionResource } from '../resource.ts'
import { configurationVersionType } from '../resource-types.ts'
import { CreateConfigurationVersion } from '../schemas.ts'

const UPLOAD_URL_MS = 25 * 3_600_000

export const configurationEndpoints = (runs: Runs, maxBytes: number): Endpoint[] => [
  endpoint({
    method: 'POST',
    path: 'workspaces/:id/configuration-versions',
    auth: 'token',
    body: jsonApi(CreateConfigurationVersion, { type: 'configuration-versions', optional: true }),
    status: 201,
    answer: { one: configurationVersionType },
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
    answer: { paged: configurationVersionType },
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
    answer: { one: configurationVersionType },
    handle: async (ctx, { params }) => one(configurationVersionResource(await runs.getConfigurationVersion(ctx, params.id))),
  }),
  ...(['configuration-versions/:id/download', 'runs/:id/configuration-version/download'] as const).map((path) =>
    endpoint({
      method: 'GET',
      path,
      auth: 'token',
      status: 200,
      answer: { bytes: 'application/octet-stream' },
      handle: async (ctx, { params }) => {
        const id = path.startsWith('runs/') ? (await runs.getRun(ctx, params.id)).run.configurationVersionId : params.id
        const { content, sizeBytes } = await runs.downloadConfiguration(ctx, id)
        return download({ content: Readable.from(content), contentType: 'application/octet-stream', sizeBytes })
      },
    }),
  ),
  endpoint({
    method: 'GET',
    path: 'runs/:id/configuration-version',
    auth: 'token',
    include: ['ingress-attributes', 'run'],
    status: 200,
    answer: { one: configurationVersionType },
    handle: async (ctx, { params }) => {
      const { run } = await runs.getRun(ctx, params.id)
      return one(configurationVersionResource(await runs.getConfigurationVersion(ctx, run.configurationVersionId)))
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
  ...backingDataActions.map((action) =>
    endpoint({
      method: 'POST',
      path: `configuration-versions/:id/actions/${action}`,
      auth: 'token',
      status: 200,
      answer: 'empty',
      handle: async (ctx, { params }) => {
        await runs.changeConfigurationData(ctx, params.id, action)
        return empty()
      },
    }),
  ),
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
