import { Readable } from 'node:stream'
import { z } from 'zod'
import { download, empty, endpoint, one, redirect, signedPath, type Endpoint } from '../../api/index.ts'
import type { Runs } from '../index.ts'
import { applyResource, planResource } from '../resource.ts'
import { applyType, planType } from '../resource-types.ts'

const DOCUMENT_URL_MS = 60_000

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
      answer: 'redirect',
      otherAnswers: { 204: 'empty' },
      handle: async (ctx, { params }) => {
        const planId = path.startsWith('runs/') ? (await runs.getRun(ctx, params.id)).run.planId : params.id
        const content = await runs.planDocument(ctx, kind, planId)
        if (content === undefined) return empty({ status: 204 })
        return redirect(runs.signedUrls.sign(kind, planId, DOCUMENT_URL_MS))
      },
    })
  const document = (kind: 'plan-json' | 'plan-json-redacted' | 'plan-schemas') =>
    endpoint({
      method: 'GET',
      path: signedPath(kind),
      auth: 'signed',
      status: 200,
      answer: { bytes: 'application/json' },
      otherAnswers: { 204: 'empty' },
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
      answer: { one: planType },
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
      answer: { one: applyType },
      handle: async (ctx, { params }) => {
        const { phase } = await runs.getPhase(ctx, 'apply', params.id)
        return one(applyResource(runs, phase, await runs.stateVersionIdsOf(phase.runId)))
      },
    }),
    endpoint({
      method: 'GET',
      path: 'applies/:id/errored-state',
      auth: 'token',
      status: 307,
      answer: 'redirect',
      handle: async (ctx, { params }) => {
        await runs.erroredState(ctx, params.id)
        return redirect(runs.signedUrls.sign('errored-state', params.id, DOCUMENT_URL_MS))
      },
    }),
    endpoint({
      method: 'GET',
      path: signedPath('errored-state'),
      auth: 'signed',
      status: 200,
      answer: { bytes: 'application/json' },
      handle: async (ctx, { params }) => {
        const actor = { kind: 'system', name: 'signed-url' } as const
        const content = await runs.erroredState({ ...ctx, actor }, runs.signedUrls.verify('errored-state', params))
        return download({ content: Readable.from(content), contentType: 'application/json' })
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
      answer: { bytes: 'text/plain; charset=utf-8' },
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
