import { describe, expect, it } from 'vitest'
import { endpoint } from '../endpoint.ts'
import { many, one } from '../reply.ts'
import { toyApi } from '../toy-api.ts'
import type { Loaders } from './include.ts'
import { type Resource, keyOf, linkMany, linkOne, linkOnly, linkagesOf, resource } from './resource.ts'

const plain = (type: string, id: string, relationships: Resource['relationships'] = {}) => resource({ type, id, relationships })

/** An API over these resources; `primary` picks the type the endpoint lists. Loaded ids are noted. */
const world = (resources: Resource[], primary: string[], allowed: string[], always?: string[]) => {
  const loads: string[] = []
  const loaders: Loaders = Object.fromEntries(
    [...new Set(resources.map((each) => each.type))].map((type) => [
      type,
      async (_ctx: unknown, ids: string[]) => {
        loads.push(`${type}:${ids.join('+')}`)
        return resources.filter((each) => each.type === type && ids.includes(each.id))
      },
    ]),
  )
  const data = resources.filter((each) => primary.includes(each.id))
  const { call } = toyApi(
    [
      endpoint({
        method: 'GET',
        path: 'list',
        auth: 'token',
        include: allowed,
        status: 200,
        handle: async () => many(data, { include: always }),
      }),
      endpoint({
        method: 'GET',
        path: 'one',
        auth: 'token',
        include: allowed,
        status: 200,
        handle: async () => one(data[0] ?? null, { include: always }),
      }),
    ],
    { loaders },
  )
  return { call, loads }
}

const included = (answer: { body: { included: Resource[] } }) => answer.body.included.map(keyOf)

/** What the Go client does with `included`: follow every linkage found there. Throws when that has no end. */
const expandAll = (nodes: Resource[]) => {
  const known = new Map(nodes.map((node) => [keyOf(node), node]))
  const visit = (node: Resource, above: string[]): void => {
    if (above.includes(keyOf(node))) throw new Error(`cycle at ${keyOf(node)}`)
    for (const link of Object.values(node.relationships ?? {}).flatMap(linkagesOf)) {
      const next = known.get(keyOf(link))
      if (next !== undefined) visit(next, [...above, keyOf(node)])
    }
  }
  for (const node of nodes) visit(node, [])
}

const workspace = (id: string, organization: string) =>
  plain('workspaces', id, {
    organization: linkOne('organizations', organization),
    'current-run': linkOne('runs', `run-${id}`),
    outputs: linkOnly('/x'),
  })
const run = (id: string) =>
  plain('runs', `run-${id}`, {
    workspace: linkOne('workspaces', id),
    plan: linkOne('plans', `plan-${id}`),
    'created-by': linkOne('users', 'u'),
  })
const all = [
  workspace('ws-1', 'acme'),
  workspace('ws-2', 'acme'),
  run('ws-1'),
  run('ws-2'),
  plain('plans', 'plan-ws-1'),
  plain('plans', 'plan-ws-2'),
  plain('users', 'u'),
  plain('organizations', 'acme'),
]
const allowed = ['organization', 'current-run.plan', 'current-run.created-by', 'current-run.workspace.organization']

describe('include', () => {
  it('loads one batch per path, each resource once, and only what was asked for', async () => {
    const { call, loads } = world(all, ['ws-1', 'ws-2'], allowed)
    const answer = await call('GET', '/api/v2/list?include=organization,current_run.plan&include=current-run.created_by')
    expect(loads).toEqual(['organizations:acme', 'runs:run-ws-1+run-ws-2', 'plans:plan-ws-1+plan-ws-2', 'users:u'])
    expect(included(answer)).toEqual([
      'organizations acme',
      'runs run-ws-1',
      'runs run-ws-2',
      'plans plan-ws-1',
      'plans plan-ws-2',
      'users u',
    ])
    expect(answer.body.data).toEqual(JSON.parse(JSON.stringify(all.slice(0, 2))))
  })

  it('has no included member when nothing was asked for, an empty one when nothing was found', async () => {
    const { call } = world(all, ['ws-1'], allowed)
    expect((await call('GET', '/api/v2/one')).body).not.toHaveProperty('included')
    expect((await call('GET', '/api/v2/one?include=')).body).not.toHaveProperty('included')
    const lonely = world([workspace('ws-1', 'acme')], ['ws-1'], allowed)
    expect((await lonely.call('GET', '/api/v2/one?include=organization')).body.included).toEqual([])
    const nothing = world(all, [], allowed)
    expect((await nothing.call('GET', '/api/v2/one?include=organization')).body).toEqual({ data: null, included: [] })
  })

  it('embeds what the handler forces', async () => {
    const { call } = world(all, ['ws-1'], allowed, ['organization'])
    expect(included(await call('GET', '/api/v2/one?include=current-run'))).toEqual(['organizations acme', 'runs run-ws-1'])
  })

  it.each(['nope', 'organization.nope', 'current-run.pla', 'organization,__proto__', 'plan'])('refuses %s', async (path) => {
    const { call } = world(all, ['ws-1'], allowed)
    const answer = await call('GET', `/api/v2/one?include=${path}`)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].title).toBe('Invalid include parameter')
    expect(answer.body.errors[0].detail).toContain('include parameter')
  })

  it('keeps back links to the primary, which clients do not follow', async () => {
    const { call } = world(all, ['ws-1'], allowed)
    const answer = await call('GET', '/api/v2/one?include=current-run.plan')
    expect(answer.body.included[0].relationships).toEqual({
      plan: linkOne('plans', 'plan-ws-1'),
      'created-by': linkOne('users', 'u'),
      workspace: linkOne('workspaces', 'ws-1'),
    })
    expect(answer.body.data).toEqual(JSON.parse(JSON.stringify(all[0])))
  })

  it('goes on through a primary without repeating it', async () => {
    const { call } = world(all, ['ws-1'], allowed)
    expect(included(await call('GET', '/api/v2/one?include=current-run.workspace.organization'))).toEqual([
      'runs run-ws-1',
      'organizations acme',
    ])
  })
})

describe('cycles among included resources', () => {
  const project = plain('projects', 'prj', { organization: { ...linkOne('organizations', 'acme'), links: { related: '/acme' } } })
  const organization = plain('organizations', 'acme', {
    'default-project': linkOne('projects', 'prj'),
    owners: linkMany('users', ['u1', 'u2']),
  })
  const user = (id: string) =>
    plain('users', id, { organizations: linkMany('organizations', ['acme', 'other']), self: linkOne('users', id) })
  const root = plain('workspaces', 'ws', { organization: linkOne('organizations', 'acme'), project: linkOne('projects', 'prj') })
  const resources = [root, organization, project, user('u1'), user('u2')]

  it.each([
    'organization',
    'organization,project',
    'project,organization',
    'organization.default-project',
    'project.organization',
    'project.organization.owners.organizations',
    'organization.owners,project',
  ])('are broken for %s', async (path) => {
    const { call } = world(
      resources,
      ['ws'],
      ['organization.default-project', 'project.organization.owners.organizations', 'organization.owners'],
    )
    const answer = await call('GET', `/api/v2/one?include=${path}`)
    expect(answer.status).toBe(200)
    expandAll(answer.body.included)
    expect(answer.body.data.relationships).toEqual(root.relationships)
  })

  it('keep the link that was asked for, drop its counterpart, and keep the links member of it', async () => {
    const { call } = world(resources, ['ws'], ['organization.default-project', 'project.organization'])
    const down = await call('GET', '/api/v2/one?include=organization.default-project')
    expect(down.body.included[0].relationships['default-project']).toEqual(linkOne('projects', 'prj'))
    expect(down.body.included[1].relationships).toEqual({ organization: { links: { related: '/acme' } } })
    const up = await call('GET', '/api/v2/one?include=project.organization')
    expect(up.body.included[0].relationships.organization.data).toEqual({ type: 'organizations', id: 'acme' })
    expect(up.body.included[1].relationships).toEqual({ owners: organization.relationships?.owners })
  })

  it('shorten a to-many link by the members concerned only', async () => {
    const { call } = world(resources, ['ws'], ['organization.owners'])
    const answer = await call('GET', '/api/v2/one?include=organization.owners')
    expect(answer.body.included[1].relationships).toEqual({ organizations: linkMany('organizations', ['other']) })
  })

  it('do not change the resource a loader returned', async () => {
    const before = structuredClone(resources)
    const { call } = world(resources, ['ws'], ['organization.owners', 'project'])
    await call('GET', '/api/v2/one?include=organization.owners,project')
    expect(resources).toEqual(before)
  })
})
