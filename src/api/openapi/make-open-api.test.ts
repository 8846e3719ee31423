import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bytes, plainJson } from '../body.ts'
import { endpoint } from '../endpoint.ts'
import { jsonApi, linkage, toMany, toManyNew, toOne } from '../jsonapi/parse.ts'
import { makeOpenApi } from './make-open-api.ts'
import { empty } from '../reply.ts'

const handle = async () => empty()
const Workspace = z.object({
  name: z.string().min(1),
  terraformVersion: z.string().nullish(),
  vcsRepo: z.object({ oauthTokenId: z.string() }).optional(),
  project: toOne('projects').nullish(),
  teams: toMany('teams'),
  tagBindings: toManyNew('tag-bindings', z.object({ maxValue: z.string() })).optional(),
})
const document = makeOpenApi([
  endpoint({
    method: 'POST',
    path: 'organizations/:org/workspaces',
    auth: 'token',
    body: jsonApi(Workspace, { type: 'workspaces' }),
    status: 201,
    handle,
  }),
  endpoint({
    method: 'GET',
    path: 'organizations/:org/workspaces',
    auth: 'token',
    query: z.object({ 'search[name]': z.string().optional() }),
    include: ['organization'],
    status: 200,
    handle,
  }),
  endpoint({
    method: 'POST',
    path: 'runs/:id/actions/apply',
    auth: 'token',
    body: plainJson(z.object({ comment: z.string().optional() })),
    status: 202,
    handle,
  }),
  endpoint({ method: 'DELETE', path: 'x', auth: 'public', body: linkage('tags'), status: 204, handle }),
  endpoint({ method: 'PUT', path: '/_objects/x/:id', auth: 'signed', body: bytes({ maxBytes: 1 }), status: 200, handle }),
])
const paths = document.paths as Record<
  string,
  Record<string, { parameters: unknown[]; security: unknown[]; requestBody: { content: Record<string, { schema: never }> } }>
>
const bodyOf = (path: string, method: string): unknown => paths[path]?.[method]?.requestBody.content['application/vnd.api+json']?.schema

describe('makeOpenApi', () => {
  it('describes resource documents with wire names', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(bodyOf('/api/v2/organizations/{org}/workspaces', 'post')).toMatchObject({
      required: ['data'],
      properties: {
        data: {
          properties: {
            type: { const: 'workspaces' },
            attributes: {
              properties: {
                name: { type: 'string' },
                'terraform-version': {},
                'vcs-repo': { properties: { 'oauth-token-id': {} }, required: ['oauth-token-id'] },
              },
              required: ['name'],
            },
            relationships: {
              properties: { project: {}, teams: { properties: { data: { type: 'array' } } }, 'tag-bindings': {} },
              required: ['teams'],
            },
          },
        },
      },
    })
    expect(JSON.stringify(document)).not.toMatch(/terraformVersion|tagBindings|maxValue/)
  })

  it('lists parameters and says which operations need a token', () => {
    const list = paths['/api/v2/organizations/{org}/workspaces']?.get
    expect(list?.parameters).toMatchObject([
      { name: 'org', in: 'path' },
      { name: 'search[name]', in: 'query', required: false },
      { name: 'include' },
    ])
    expect([list?.security, paths['/api/v2/x']?.delete?.security]).toEqual([[{ token: [] }], []])
    expect(paths['/_objects/x/{id}']?.put?.security).toEqual([])
    expect(bodyOf('/api/v2/runs/{id}/actions/apply', 'post')).toMatchObject({ properties: { comment: { type: 'string' } } })
    expect(bodyOf('/api/v2/x', 'delete')).toMatchObject({ properties: { data: { type: 'array' } } })
  })

  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
  })
})
