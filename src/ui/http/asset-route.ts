import { notFound } from '../../platform/errors.ts'
import type { Assets } from '../assets.ts'
import type { Route } from './route.ts'

/** Styles, scripts and pictures; kept by browsers for good, as their names change with their content. */
export const assetRoute = (assets: Assets): Route => ({
  method: 'GET',
  path: '/assets/:file',
  access: 'program',
  handle: async ({ params }) => {
    const asset = assets.find(params['file'] ?? '')
    if (asset === undefined) throw notFound()
    const headers = {
      'content-type': asset.contentType,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    }
    return { kind: 'raw', response: new Response(new Uint8Array(asset.content), { headers }) }
  },
})
