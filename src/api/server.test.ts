import { Readable, Writable } from 'node:stream'
import { serve, type ServerType } from '@hono/node-server'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError, conflict, invalid, notFound } from '../platform/errors.ts'
import type { Ctx } from '../platform/context.ts'
import { endpoint } from './endpoint.ts'
import { pingEndpoint } from './ping.ts'
import { commaList } from './query.ts'
import { download, empty, json, one, redirect } from './reply.ts'
import type { ApiDeps } from './server.ts'
import { signedPath } from './signed-urls.ts'
import { alice, toyApi } from './toy-api.ts'
import { discoveryEndpoint } from './well-known.ts'

const fails = (path: string, error: () => unknown) =>
  endpoint({
    method: 'POST',
    path,
    auth: 'token',
    status: 200,
    handle: async () => {
      throw error()
    },
  })

let seen: Ctx | undefined
const open: Readable[] = []

const endpoints = [
  pingEndpoint,
  discoveryEndpoint,
  endpoint({
    method: 'GET',
    path: 'runs/:id',
    auth: 'token',
    status: 200,
    handle: async (_ctx, { params }) => one({ type: 'runs', id: params.id }),
  }),
  endpoint({ method: 'GET', path: 'runs/queue', auth: 'token', status: 200, handle: async () => one({ type: 'queues', id: 'q' }) }),
  endpoint({
    method: 'GET',
    path: 'me',
    auth: 'token',
    status: 200,
    handle: async (ctx) => ((seen = ctx), json({ actor: ctx.actor, client: ctx.client })),
  }),
  endpoint({
    method: 'GET',
    path: 'query',
    auth: 'token',
    query: z.object({
      q: z.string().optional(),
      'filter[run][status]': commaList.optional(),
      'filter[type]': z.enum(['in', 'out']).optional(),
    }),
    status: 200,
    handle: async (_ctx, { query }) => json(query),
  }),
  endpoint({ method: 'POST', path: 'runs/:id/actions/apply', auth: 'token', status: 202, handle: async () => empty() }),
  endpoint({ method: 'DELETE', path: 'runs/:id', auth: 'token', status: 204, handle: async () => empty() }),
  endpoint({ method: 'GET', path: 'go', auth: 'token', status: 307, handle: async () => redirect('https://else.where/x') }),
  endpoint({
    method: 'GET',
    path: 'early',
    auth: 'token',
    status: 200,
    handle: async () => empty({ status: 204, headers: { 'x-extra': '1' } }),
  }),
  endpoint({ method: 'GET', path: signedPath('log'), auth: 'signed', status: 200, handle: async (_ctx, { params }) => json(params) }),
  endpoint({
    method: 'GET',
    path: 'file',
    auth: 'public',
    status: 200,
    handle: async () => {
      const content = Readable.from([Buffer.from('hello '), Buffer.from('world')], { objectMode: false })
      open.push(content)
      return download({ content, contentType: 'application/octet-stream', sizeBytes: 11 })
    },
  }),
  fails('not-found', () => notFound()),
  fails('conflict', () => conflict('Unable to unlock: it is locked by Run run-1')),
  fails('invalid', () => invalid('Name has already been taken', 'name')),
  fails('several', () => new AggregateError([invalid('A', 'a'), invalid('B', 'b')])),
  fails('titled', () => new AppError('CONFLICT', 'x', { title: 'transition not allowed', internal: 'row 7 was newer' })),
  fails('boom', () => new Error('password=hunter2 in SELECT')),
  fails('odd', () => 'a text'),
]

const lines: string[] = []
const log = pino({ level: 'info' }, new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) }))
const make = (more: Partial<ApiDeps> = {}) => toyApi(endpoints, { log, ...more })
const { app, call } = make()
const lastLine = () => JSON.parse(lines.at(-1) ?? '{}')

describe('answers', () => {
  it('all have the version headers and an own request id', async () => {
    const answers = await Promise.all([
      call('GET', '/api/v2/ping'),
      call('GET', '/api/v2/none'),
      call('POST', '/api/v2/boom'),
      app.request('/api/v2/me'),
      call('GET', '/api/v2/go'),
    ])
    expect(answers.map((answer) => answer.status)).toEqual([204, 404, 500, 401, 307])
    for (const { headers } of answers) {
      expect([headers.get('tfp-api-version'), headers.get('tfp-appname')]).toEqual(['2.6', 'HCP Terraform'])
      expect([headers.get('x-tfe-version'), headers.get('x-ratelimit-limit')]).toEqual([null, null])
    }
    expect(new Set(answers.map((answer) => answer.headers.get('x-request-id'))).size).toBe(5)
    expect(answers[4].headers.get('location')).toBe('https://else.where/x')
  })

  it('can be those of Terraform Enterprise', async () => {
    const { headers } = await make({ appName: 'Terraform Enterprise', tfeVersion: 'v202501-2' }).call('GET', '/api/v2/ping')
    expect([headers.get('tfp-appname'), headers.get('x-tfe-version')]).toEqual(['Terraform Enterprise', 'v202501-2'])
  })

  it('prefer static segments to parameters, whatever the order of the endpoints', async () => {
    expect((await call('GET', '/api/v2/runs/queue')).body.data.type).toBe('queues')
    expect((await call('GET', '/api/v2/runs/run-1/')).body.data).toEqual({ type: 'runs', id: 'run-1' })
    expect(() => toyApi([endpoints[2]!, { ...endpoints[2]!, path: '/api/v2/runs/:other' }])).toThrow('two endpoints answer GET')
  })

  it('take the status of the endpoint, unless the reply has another', async () => {
    const early = await call('GET', '/api/v2/early')
    expect([early.status, early.body, early.headers.get('x-extra')]).toEqual([204, undefined, '1'])
  })

  it.each(['', '{}', '{"comment":"x"}', 'not json', '['.repeat(100_000)])('ignore the body %.20s where none is declared', async (body) => {
    expect((await call('POST', '/api/v2/runs/run-1/actions/apply', body)).status).toBe(202)
    expect((await call('DELETE', '/api/v2/runs/run-1', body)).status).toBe(204)
  })
})

describe('authentication', () => {
  it('answers 401 without a known token', async () => {
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Bearer bad',
      'Basic Z29vZA==',
      'good',
      'Bearer good extra',
      `Bearer ${'x'.repeat(5000)}`,
    ]) {
      const response = await app.request('/api/v2/me', { headers: authorization === undefined ? {} : { authorization } })
      expect([authorization, response.status, response.headers.get('content-type')]).toEqual([
        authorization,
        401,
        'application/vnd.api+json',
      ])
      expect(await response.json()).toEqual({ errors: [{ status: '401', title: 'unauthorized' }] })
    }
  })

  it('gives the actor and what the client says of itself', async () => {
    const headers = {
      authorization: 'bearer good',
      'terraform-version': '1.11.4',
      'x-terraform-integration': 'cloud',
      'user-agent': 'go-tfe',
    }
    const response = await app.request('/api/v2/me', { headers })
    expect(await response.json()).toEqual({
      actor: alice,
      client: { terraformVersion: '1.11.4', integration: 'cloud', userAgent: 'go-tfe' },
    })
    expect([seen?.requestId, seen?.signal.aborted]).toEqual([response.headers.get('x-request-id'), false])
  })

  it('does not look at tokens of public and signed endpoints', async () => {
    const api = make({
      authenticate: () => {
        throw new Error('must not be called')
      },
    })
    expect((await api.call('GET', '/api/v2/ping')).status).toBe(204)
    const discovery = await api.call('GET', '/.well-known/terraform.json')
    expect([discovery.status, discovery.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(discovery.body).toEqual({
      'tfe.v2': '/api/v2/',
      'tfe.v2.1': '/api/v2/',
      'tfe.v2.2': '/api/v2/',
      'state.v2': '/api/v2/',
      'login.v1': {
        client: 'terraform-cli',
        grant_types: ['authz_code'],
        authz: '/oauth/authorize',
        token: '/oauth/token',
        ports: [10_000, 10_010],
      },
    })
    expect((await api.call('GET', '/_objects/log/plan-1/x/y')).status).toBe(200)
  })
})

describe('errors', () => {
  it.each([
    ['not-found', 404, [{ status: '404', title: 'not found' }]],
    ['conflict', 409, [{ status: '409', title: 'conflict', detail: 'Unable to unlock: it is locked by Run run-1' }]],
    [
      'invalid',
      422,
      [{ status: '422', title: 'invalid attribute', detail: 'Name has already been taken', source: { pointer: '/data/attributes/name' } }],
    ],
    ['titled', 409, [{ status: '409', title: 'transition not allowed', detail: 'x' }]],
  ])('%s', async (path, status, errors) => {
    const answer = await call('POST', `/api/v2/${path}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/vnd.api+json'])
    expect(answer.body).toEqual({ errors })
  })

  it('can be several', async () => {
    const answer = await call('POST', '/api/v2/several')
    expect([answer.status, answer.body.errors.length]).toEqual([422, 2])
  })

  it.each(['boom', 'odd'])('%s tells nothing but the request id; the log has the rest', async (path) => {
    const answer = await call('POST', `/api/v2/${path}`)
    const requestId = answer.headers.get('x-request-id')
    expect(answer.body).toEqual({ errors: [{ status: '500', title: 'internal error', detail: `Request id ${requestId}` }] })
    const logged = lines.map((line) => JSON.parse(line)).find((line) => line.requestId === requestId && line.level === 50)
    expect(JSON.stringify(logged.err)).toContain(path === 'boom' ? 'server.test.ts' : 'a text')
  })

  it('is 404 for an unknown route, by any method', async () => {
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const answer = await call(method, '/api/v2/me/nope')
      expect([method, answer.status, answer.body.errors[0].title]).toEqual([method, 404, 'not found'])
    }
    expect((await call('PUT', '/api/v2/me')).status).toBe(404)
  })

  it('is 400 or 404 for a broken path, never 500', async () => {
    for (const path of ['/api/v2/%', '/api/v2/%zz', '/%00', '/api/v2/runs/%2F..%2f/x', '/api/v2//me']) {
      expect([path, (await call('GET', path)).status]).toEqual([path, 404])
    }
    for (const id of ['%E0%A4%A', '%zz', '%']) expect((await call('GET', `/api/v2/runs/${id}`)).body.data.id).toBe(id)
  })

  it('names a refused query parameter, ignores unknown ones, joins repeated ones', async () => {
    const refused = await call('GET', '/api/v2/query?filter[type]=up')
    expect([refused.status, refused.body.errors[0]]).toEqual([
      400,
      { status: '400', title: 'bad request', detail: 'filter[type] must be one of: in, out', source: { parameter: 'filter[type]' } },
    ])
    const read = await call(
      'GET',
      '/api/v2/query?q=a%20b&TagBindings=1&__proto__=1&filter%5Brun%5D%5Bstatus%5D=a,b&filter[run][status]=c&%zz=%zz&q[x',
    )
    expect(read.body).toEqual({ q: 'a b', 'filter[run][status]': ['a', 'b', 'c'] })
    expect((await call('GET', '/api/v2/query?')).body).toEqual({})
  })
})

describe('the access log', () => {
  it('has the pattern of the route, never the path or the query', async () => {
    await call('GET', '/_objects/log/plan-1/lq2w/SIGNATURE?token=SECRET')
    expect(lastLine()).toMatchObject({ method: 'GET', route: '/_objects/log/:id/:expires/:signature', status: 200 })
    await call('GET', '/_objects/log/plan-1/lq2w/SIGNATURE/x?token=SECRET')
    expect(lastLine()).toMatchObject({ route: '(none)', status: 404 })
    await call('POST', '/api/v2/titled')
    expect(lastLine()).toMatchObject({ status: 409, internal: 'row 7 was newer' })
    expect(lines.join('')).not.toMatch(/SECRET|SIGNATURE|Bearer/)
  })
})

describe('over a socket', () => {
  let server: ServerType
  let base = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      server = serve(
        {
          fetch: make({ extraRoutes: (extra) => extra.get('/broken', () => Promise.reject(new Error('x'))) }).app.fetch,
          port: 0,
          hostname: '127.0.0.1',
        },
        (address) => {
          base = `http://127.0.0.1:${address.port}`
          resolve()
        },
      )
    })
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  it('HEAD works where GET does and closes what GET would have sent', async () => {
    for (const path of ['/api/v2/ping', '/api/v2/me', '/.well-known/terraform.json', '/api/v2/file']) {
      const get = await fetch(base + path, { headers: { authorization: 'Bearer good' } })
      await get.arrayBuffer()
      const head = await fetch(base + path, { method: 'HEAD', headers: { authorization: 'Bearer good' } })
      expect([path, head.status, head.headers.get('content-type')]).toEqual([path, get.status, get.headers.get('content-type')])
      expect(await head.text()).toBe('')
    }
    expect(open.map((stream) => stream.destroyed)).toEqual([true, true])
    expect((await fetch(`${base}/api/v2/me`, { method: 'HEAD' })).status).toBe(401)
  })

  it('bytes have their length', async () => {
    const response = await fetch(`${base}/api/v2/file`)
    expect([response.headers.get('content-length'), response.headers.get('content-type'), await response.text()]).toEqual([
      '11',
      'application/octet-stream',
      'hello world',
    ])
    const head = await fetch(`${base}/api/v2/file`, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe('11')
  })

  it('a huge header is refused and the next request is served', async () => {
    const huge = await fetch(`${base}/api/v2/me`, { headers: { authorization: `Bearer ${'x'.repeat(100_000)}` } }).then(
      (response) => response.status,
      () => 431,
    )
    expect(huge).toBe(431)
    expect((await fetch(`${base}/api/v2/ping`)).status).toBe(204)
  })

  it('a failing extra route is a 500 document', async () => {
    const response = await fetch(`${base}/broken`)
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/vnd.api+json'])
  })
})
