import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Body, plainJson } from '../body.ts'
import { endpoint } from '../endpoint.ts'
import { json } from '../reply.ts'
import { toyApi } from '../toy-api.ts'
import { jsonApi, linkage, toMany, toManyNew, toOne, toOneOf } from './parse.ts'

const Workspace = z.object({
  name: z.string().min(1),
  terraformVersion: z.string().nullish(),
  autoApply: z.boolean().optional(),
  queueLimit: z.int().min(1).max(5).optional(),
  executionMode: z.enum(['remote', 'local']).optional(),
  vcsRepo: z.object({ identifier: z.string(), oauthTokenId: z.string().optional() }).nullish(),
  rules: z.array(z.object({ fileGlob: z.string() })).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  project: toOne('projects').nullish(),
  parent: toOneOf(['organizations', 'projects']).optional(),
  teams: toMany('teams').optional(),
  tagBindings: toManyNew('tag-bindings', z.object({ key: z.string().min(1), maxValue: z.string().optional() })).optional(),
})

const echo = (body: Body<unknown>) => {
  const { call } = toyApi([
    endpoint({ method: 'PATCH', path: 'x', auth: 'token', body, status: 200, handle: async (_ctx, input) => json(shown(input.body)) }),
  ])
  return (sent?: unknown) => call('PATCH', '/api/v2/x', sent)
}

/** Makes undefined and absent visible in JSON. */
const shown = (value: unknown) => ({ value, keys: typeof value === 'object' && value !== null ? Object.keys(value) : [] })

const workspaces = echo(jsonApi(Workspace, { type: 'workspaces' }))
const withAttributes = (attributes: unknown) => workspaces({ data: { type: 'workspaces', attributes } })
const firstError = (answer: { body: { errors: { source?: { pointer?: string } }[] } }) => answer.body.errors[0]

describe('jsonApi', () => {
  it('gives attributes and relationships as one camelCase object, from kebab-case or snake_case', async () => {
    const answer = await workspaces({
      data: {
        type: 'workspaces',
        attributes: {
          name: 'a',
          terraform_version: '1.11.4',
          'auto-apply': true,
          'vcs-repo': { identifier: 'o/r', oauth_token_id: 'ot-1' },
          rules: [{ 'file-glob': '*' }],
        },
        relationships: {
          project: { data: { type: 'projects', id: 'prj-1' } },
          parent: { data: { type: 'organizations', id: 'acme' } },
          teams: {
            data: [
              { type: 'teams', id: 'team-1' },
              { type: 'teams', id: 'team-2' },
            ],
          },
          tag_bindings: {
            data: [
              { type: 'tag-bindings', attributes: { key: 'env', 'max-value': 'x' } },
              { type: 'tag-bindings', id: 'tb-1' },
            ],
          },
        },
      },
    })
    expect(answer.status).toBe(200)
    expect(answer.body.value).toEqual({
      name: 'a',
      terraformVersion: '1.11.4',
      autoApply: true,
      vcsRepo: { identifier: 'o/r', oauthTokenId: 'ot-1' },
      rules: [{ fileGlob: '*' }],
      project: 'prj-1',
      parent: { type: 'organizations', id: 'acme' },
      teams: ['team-1', 'team-2'],
      tagBindings: [{ attributes: { key: 'env', maxValue: 'x' } }, { id: 'tb-1' }],
    })
  })

  it('tells null from absent, for attributes and relationships, and keeps an empty list', async () => {
    const cleared = await workspaces({
      data: { attributes: { name: 'a', 'vcs-repo': null }, relationships: { project: { data: null }, teams: { data: [] } } },
    })
    expect(cleared.body.value).toEqual({ name: 'a', vcsRepo: null, project: null, teams: [] })
    const left = await workspaces({ data: { attributes: { name: 'a' }, relationships: { project: {} } } })
    expect(left.body.keys).toEqual(['name'])
  })

  it('ignores unknown members, data.id and an attribute named like a relationship', async () => {
    const answer = await workspaces({
      data: { id: 'ws-9', type: '', attributes: { name: 'a', project: 'prj-9', created_at: 'now' }, meta: {}, relationships: { nope: 7 } },
    })
    expect(answer.body.value).toEqual({ name: 'a' })
  })

  it.each([
    ['a wrong type', { name: 3 }, '/data/attributes/name', 'Name must be a string'],
    ['a missing attribute', {}, '/data/attributes/name', "Name can't be blank"],
    ['an empty text', { name: '' }, '/data/attributes/name', "Name can't be blank"],
    ['a wrong flag', { name: 'a', 'auto-apply': 'yes' }, '/data/attributes/auto-apply', 'Auto apply must be true or false'],
    ['a fraction', { name: 'a', 'queue-limit': 1.5 }, '/data/attributes/queue-limit', 'Queue limit must be a whole number'],
    ['too much', { name: 'a', 'queue-limit': 6 }, '/data/attributes/queue-limit', 'Queue limit must be at most 5'],
    [
      'an unlisted value',
      { name: 'a', execution_mode: 'x' },
      '/data/attributes/execution-mode',
      'Execution mode must be one of: remote, local',
    ],
    [
      'a nested wrong type',
      { name: 'a', vcs_repo: { identifier: 'x', oauth_token_id: 1 } },
      '/data/attributes/vcs-repo/oauth-token-id',
      'Oauth token id must be a string',
    ],
    ['a list member', { name: 'a', rules: [{ file_glob: '*' }, {}] }, '/data/attributes/rules/1/file-glob', "File glob can't be blank"],
    ['attributes as a list', [1], '/data/attributes', 'The attributes must be an object.'],
  ])('refuses %s with 422 and the pointer', async (_what, attributes, pointer, detail) => {
    const answer = await withAttributes(attributes)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toEqual([{ status: '422', title: 'invalid attribute', detail, source: { pointer } }])
  })

  it.each([
    ['linkage of another type', { project: { data: { type: 'teams', id: 'x' } } }, '/data/relationships/project/data/type'],
    ['linkage without id', { project: { data: { type: 'projects' } } }, '/data/relationships/project/data/id'],
    ['a list for a to-one', { project: { data: [] } }, '/data/relationships/project/data'],
    ['one for a to-many', { teams: { data: { type: 'teams', id: 'x' } } }, '/data/relationships/teams/data'],
    ['a relationship that is no object', { project: 'prj-1' }, '/data/relationships/project'],
    [
      'an attribute of a new member',
      { tag_bindings: { data: [{ type: 'tag-bindings', attributes: { key: '' } }] } },
      '/data/relationships/tag-bindings/data/0/attributes/key',
    ],
  ])('refuses %s', async (_what, relationships, pointer) => {
    const answer = await workspaces({ data: { attributes: { name: 'a' }, relationships } })
    expect(answer.status).toBe(422)
    expect(firstError(answer)?.source?.pointer).toBe(pointer)
  })

  it('reports every refused value', async () => {
    const answer = await withAttributes({ name: 1, 'auto-apply': 2 })
    expect(answer.body.errors.map((error: { source: { pointer: string } }) => error.source.pointer)).toEqual([
      '/data/attributes/name',
      '/data/attributes/auto-apply',
    ])
  })

  it('shows a message of the schema as it is', async () => {
    const send = echo(
      jsonApi(
        z.object({
          kind: z.enum(['a'], { error: 'Kind is not included in the list' }),
          from: z.string().refine(() => false, 'From is odd'),
        }),
      ),
    )
    const answer = await send({ data: { attributes: { kind: 'b', from: 'x' } } })
    expect(answer.body.errors.map((error: { detail: string }) => error.detail)).toEqual(['Kind is not included in the list', 'From is odd'])
  })

  it('insists on data and on its type, but not on a filled type', async () => {
    for (const body of ['', '   ', '{}', '[]', '7', 'null', '{"data":null}', '{"data":[]}', '{"data":7}']) {
      const answer = await workspaces(body)
      expect([body, answer.status, firstError(answer)?.source?.pointer]).toEqual([body, 422, '/data'])
    }
    const wrong = await workspaces({ data: { type: 'runs', attributes: { name: 'a' } } })
    expect([wrong.status, firstError(wrong)?.source?.pointer]).toEqual([422, '/data/type'])
    expect((await workspaces({ data: { type: '', attributes: { name: 'a' } } })).status).toBe(200)
    expect((await workspaces({ data: { attributes: { name: 'a' } } })).status).toBe(200)
  })

  it('accepts nothing at all when told so, and a document without attributes', async () => {
    const send = echo(jsonApi(z.object({ note: z.string().optional() }), { type: 'tokens', optional: true }))
    for (const body of [undefined, '', '{}', '{"data":{"type":"tokens"}}', '{"data":{"type":"","attributes":null}}']) {
      expect((await send(body)).body.value).toEqual({})
    }
    expect((await send('{"data":7}')).status).toBe(422)
  })

  it('refuses a schema it cannot name the members of', () => {
    expect(() => jsonApi(z.string())).toThrow('object schema')
    expect(() => jsonApi(z.object({ a: z.union([z.object({ b: z.string() }), z.string()]) }))).toThrow('union of objects')
  })
})

describe('hostile JSON', () => {
  it.each([
    ['broken', '{"data":', 400],
    ['open brackets', '['.repeat(100_000), 400],
    ['deep and closed', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400],
    ['deep in an unknown member', `{"data":{"attributes":{"name":"a","x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}}}`, 400],
    ['brackets within a text', JSON.stringify({ data: { attributes: { name: `\\"${'['.repeat(100_000)}` } } }), 200],
    ['an open text', '{"data":"[[[', 400],
  ])('answers %s', async (_what, body, status) => {
    expect((await workspaces(body)).status).toBe(status)
  })

  it('never follows __proto__, constructor or prototype', async () => {
    const evil = '{"__proto__":{"name":"evil","polluted":1},"constructor":{"prototype":{"polluted":1}}'
    const missing = await workspaces(`{"data":{"attributes":${evil}}}}`)
    expect(firstError(missing)?.source?.pointer).toBe('/data/attributes/name')
    const answer = await workspaces(
      `{"__proto__":{},"data":{"__proto__":{},"attributes":${evil},"name":"a","labels":{"__proto__":"x","ok":"y"}},"relationships":{"__proto__":{"project":{}}}}}`,
    )
    expect(answer.body.value).toEqual({ name: 'a', labels: { ok: 'y' } })
    expect(Object.prototype).not.toHaveProperty('polluted')
    const top = await workspaces('{"__proto__":{"data":{"attributes":{"name":"a"}}}}')
    expect(top.status).toBe(422)
  })

  it('limits the body to 10 MiB unless the endpoint allows more', async () => {
    const body = JSON.stringify({ data: { attributes: { name: 'x'.repeat(10 * 1024 * 1024) } } })
    const refused = await workspaces(body)
    expect([refused.status, refused.body.errors[0].title]).toEqual([413, 'payload too large'])
    const roomy = echo(jsonApi(z.object({ name: z.string() }), { maxBytes: 20 * 1024 * 1024 }))
    expect((await roomy(body)).status).toBe(200)
  })

  it('answers 415 to a form, and takes application/json with parameters', async () => {
    const { app } = toyApi([
      endpoint({
        method: 'POST',
        path: 'x',
        auth: 'public',
        body: plainJson(z.object({})),
        status: 200,
        handle: async (_ctx, { body }) => json(body),
      }),
    ])
    const post = (type: string) => app.request('/api/v2/x', { method: 'POST', body: '{}', headers: { 'content-type': type } })
    expect((await post('application/x-www-form-urlencoded')).status).toBe(415)
    expect((await post('Application/JSON; charset=utf-8')).status).toBe(200)
  })
})

describe('plainJson', () => {
  const lock = echo(plainJson(z.object({ reason: z.string().optional() })))

  it.each([
    ['', {}],
    ['{}', {}],
    ['{"reason":"x"}', { reason: 'x' }],
    ['{"data":{"type":"","attributes":{"reason":"x"}}}', { reason: 'x' }],
    ['{"data":{"type":""}}', {}],
    ['{"__proto__":{"reason":"x"}}', {}],
  ])('reads %s', async (body, value) => {
    expect((await lock(body)).body.value).toEqual(value)
  })

  it('points at the refused member', async () => {
    expect(firstError(await lock('{"reason":7}'))?.source?.pointer).toBe('/reason')
    expect(firstError(await lock('{"data":{"attributes":{"reason":7}}}'))?.source?.pointer).toBe('/data/attributes/reason')
    expect((await lock('[]')).status).toBe(422)
  })
})

describe('linkage', () => {
  it('gives ids of a list or a single one', async () => {
    const send = echo(linkage('workspaces'))
    expect(
      (
        await send({
          data: [
            { type: 'workspaces', id: 'ws-1' },
            { type: '', id: 'ws-2' },
          ],
        })
      ).body.value,
    ).toEqual(['ws-1', 'ws-2'])
    expect((await send({ data: { type: 'workspaces', id: 'ws-1' } })).body.value).toEqual(['ws-1'])
    expect((await send({ data: [] })).body.value).toEqual([])
    expect(
      firstError(
        await send({
          data: [
            { type: 'workspaces', id: 'ws-1' },
            { type: 'runs', id: 'x' },
          ],
        }),
      )?.source?.pointer,
    ).toBe('/data/1/type')
    expect((await send('')).status).toBe(422)
  })

  it('takes members with attributes instead of an id', async () => {
    const send = echo(linkage('tags', z.object({ name: z.string() })))
    expect(
      (
        await send({
          data: [
            { type: 'tags', attributes: { name: 'a' } },
            { type: 'tags', id: 'tag-1' },
          ],
        })
      ).body.value,
    ).toEqual([{ attributes: { name: 'a' } }, { id: 'tag-1' }])
    expect(firstError(await send({ data: [{ type: 'tags', attributes: {} }] }))?.source?.pointer).toBe('/data/0/attributes/name')
  })
})
