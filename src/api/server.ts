import { Hono, type Context } from 'hono'
import type { Clock } from '../platform/clock.ts'
import type { Actor, Ctx } from '../platform/context.ts'
import { translateDbError } from '../platform/db/errors.ts'
import { AppError, notFound } from '../platform/errors.ts'
import { newUuid } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Endpoint } from './endpoint.ts'
import { errorDocument, internalError } from './jsonapi/errors.ts'
import { type Loaders, parseInclude } from './jsonapi/include.ts'
import { parsePage } from './jsonapi/pagination.ts'
import { bearerToken } from './middleware/bearer-token.ts'
import { makeQueryReader, searchParams } from './query.ts'
import { type Headers, makeSend, sendError } from './send.ts'
import { sortEndpoints } from './sort-endpoints.ts'

export type ApiDeps = {
  endpoints: readonly Endpoint[]
  /** Undefined for a token that is unknown, revoked or expired. */
  authenticate(token: string): Promise<Actor | undefined>
  /** What clients reach us by, e.g. `https://terrane.example.com`. */
  publicUrl: string
  log: Log
  clock: Clock
  loaders?: Loaders
  /** Clients take any other name than `HCP Terraform` for Terraform Enterprise, and then read `tfeVersion` (`vYYYYMM-N`). */
  appName?: 'HCP Terraform' | 'Terraform Enterprise'
  tfeVersion?: string
  /** Routes besides the endpoints (pages, metrics); tried after them. */
  extraRoutes?(app: Hono): void
}

const ANONYMOUS: Actor = { kind: 'anonymous' }

/** One Hono app of all endpoints. Every answer of it, errors included, has the version headers and a request id. */
export const makeApi = (deps: ApiDeps): Hono => {
  const { log, clock } = deps
  const fixed = fixedHeaders(deps)
  const send = makeSend({ loaders: deps.loaders ?? {}, publicUrl: deps.publicUrl })

  const actorOf = async (endpoint: Endpoint, c: Context): Promise<Actor> => {
    if (endpoint.auth !== 'token') return ANONYMOUS
    const token = bearerToken(c.req.header('authorization'))
    const actor = token === undefined ? undefined : await deps.authenticate(token)
    if (actor === undefined) throw new AppError('UNAUTHORIZED', '')
    return actor
  }

  const contextOf = (actor: Actor, requestId: string, c: Context): Ctx => ({
    actor,
    requestId,
    // An AbortController for each request is dear, and few verbs look at it.
    get signal() {
      return c.req.raw.signal
    },
    log: log.child({ requestId }),
    client: {
      terraformVersion: c.req.header('terraform-version'),
      integration: c.req.header('x-terraform-integration'),
      userAgent: c.req.header('user-agent'),
    },
  })

  /** Runs `answer`, turns what it throws into a document and writes the access line. */
  const observed = async (
    c: Context,
    { path: route, headers: own = {} }: { path: string; headers?: Headers },
    answer: (requestId: string, headers: Headers) => Promise<Response>,
  ): Promise<Response> => {
    const startedMs = clock.monotonicMs()
    const requestId = newUuid()
    const headers = { ...fixed, ...own, 'x-request-id': requestId }
    const line: Record<string, unknown> = { requestId, method: c.req.method, route, status: 0, ms: 0 }
    let response: Response
    try {
      response = await answer(requestId, headers)
    } catch (error) {
      const known = errorDocument(error)
      // Errors of the database carry SQL and parameters until they are translated.
      if (known === undefined) log.error({ requestId, err: translateDbError(error) }, 'request failed')
      if (error instanceof AppError && error.internal !== undefined) line.internal = error.internal
      response = sendError(known ?? internalError(requestId), headers)
    }
    line.status = response.status
    line.ms = Math.round((clock.monotonicMs() - startedMs) * 10) / 10
    log.info(line, 'request')
    return response
  }

  const serve = (endpoint: Endpoint) => {
    const readQuery = endpoint.query && makeQueryReader(endpoint.query)
    return (c: Context): Promise<Response> =>
      observed(c, endpoint, async (requestId, headers) => {
        const ctx = contextOf(await actorOf(endpoint, c), requestId, c)
        const { url } = c.req
        if (url.includes('%00')) throw new AppError('BAD_REQUEST', 'The address contains a zero byte.')
        const query = searchParams(url)
        const page = parsePage(query)
        const include = parseInclude(query, endpoint.include)
        const reply = await endpoint.handle(ctx, {
          params: c.req.param(),
          query: readQuery?.(query),
          page,
          include,
          body: await endpoint.body?.read(c.req),
          request: c.req,
        })
        const asked = { isHead: c.req.method === 'HEAD', url, query, page, include, encodings: c.req.header('accept-encoding') }
        return send(ctx, endpoint, reply, asked, headers)
      })
  }

  const app = new Hono({ strict: false })
  for (const endpoint of sortEndpoints(deps.endpoints)) app.on(endpoint.method, endpoint.path, serve(endpoint))
  deps.extraRoutes?.(app)
  const refuse = (error: unknown) => async () => {
    throw error
  }
  app.notFound((c) => observed(c, { path: '(none)' }, refuse(notFound())))
  app.onError((error, c) => observed(c, { path: '(extra)' }, refuse(error)))
  return app
}

/** No X-RateLimit-Limit: Go clients throttle themselves by it. */
const fixedHeaders = ({ appName = 'HCP Terraform', tfeVersion = 'v202501-1' }: ApiDeps): Headers => ({
  'TFP-API-Version': '2.6',
  'TFP-AppName': appName,
  ...(appName === 'Terraform Enterprise' ? { 'X-TFE-Version': tfeVersion } : {}),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})
