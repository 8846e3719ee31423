import { Readable } from 'node:stream'
import { z } from 'zod'
import { download, empty, endpoint, one, redirect, signedPath, type Endpoint } from '../../api/index.ts'
import type { Runs } from '../index.ts'
import { applyResource, planResource } from '../resource.ts'

const JSON_URL_MS = 60_000

/** Plans, applies, their logs and documents. */
export const planEndpoints = (runs: Runs): Endpoint[] => {
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
        })
      },
    }),
  ]
}
