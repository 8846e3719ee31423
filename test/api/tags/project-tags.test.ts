import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, type TestOrganization, testName } from '../../harness/api.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
beforeAll(async () => {
  api = await makeWorkspaceApi()
  organization = await api.newOrganization()
})
afterAll(() => api.drop())

type Tags = Record<string, string>

const bindings = (tags: Tags) => ({
  data: Object.entries(tags).map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } })),
})
const createProject = (tags: Tags) =>
  api.request('POST', `organizations/${organization.name}/projects`, {
    body: documentOf('projects', { name: testName('project') }, { 'tag-bindings': bindings(tags) }),
  })
const newProject = async (tags: Tags) => (await createProject(tags)).one().id
const newWorkspace = async (project: string, tags: Tags = {}) => {
  const relationships = { project: { data: { type: 'projects', id: project } }, 'tag-bindings': bindings(tags) }
  const body = documentOf('workspaces', { name: testName('ws') }, relationships)
  return (await api.request('POST', `organizations/${organization.name}/workspaces`, { body })).one().id
}
const pairsOf = (resources: readonly { attributes: Record<string, unknown> }[]) =>
  resources.map(({ attributes }) => [attributes['key'], attributes['value']])
const pairs = async (path: string) => pairsOf((await api.request('GET', path)).many())

describe('tags of a project', () => {
  it('are given on creation, added, replaced and removed, and each change is told', async () => {
    const id = await newProject({ a: '1', b: '' })
    expect(await pairs(`projects/${id}/tag-bindings`)).toEqual([
      ['a', '1'],
      ['b', ''],
    ])
    const added = await api.request('PATCH', `projects/${id}/tag-bindings`, { body: bindings({ a: '2', c: '3' }) })
    expect(pairsOf(added.many())).toEqual([
      ['a', '2'],
      ['b', ''],
      ['c', '3'],
    ])
    const replace = (tags: Tags) =>
      api.request('PATCH', `projects/${id}`, { body: documentOf('projects', {}, { 'tag-bindings': bindings(tags) }) })
    await replace({ b: 'x' })
    expect(await pairs(`projects/${id}/effective-tag-bindings`)).toEqual([['b', 'x']])
    await api.request('PATCH', `projects/${id}`, { body: documentOf('projects', { description: 'd' }) })
    expect(await pairs(`projects/${id}/tag-bindings`)).toEqual([['b', 'x']])
    await replace({})
    expect(await pairs(`projects/${id}/tag-bindings`)).toEqual([])
    const { events } = api.db.t
    const told = (await api.db.select().from(events).where(eq(events.subject, id))).map(({ type }) => type)
    expect(told).toEqual(['project.created', ...Array.from({ length: 4 }, () => 'project.updated')])
  })

  it('are embedded on demand', async () => {
    const id = await newProject({ a: '1' })
    const { included, one } = await api.request('GET', `projects/${id}?include=effective_tag_bindings`)
    expect(included).toMatchObject([{ type: 'effective-tag-bindings', attributes: { key: 'a', value: '1' } }])
    expect(included[0]).not.toHaveProperty('links')
    expect(one().relationships['effective-tag-bindings']?.data).toHaveLength(1)
  })

  it('422 for refused keys and for more than ten, 404 for strangers', async () => {
    expect((await createProject({ 'hc:x': '' })).status).toBe(422)
    expect((await createProject(Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`k${at}`, ''])))).status).toBe(422)
    const id = await newProject({ a: '1' })
    const { token } = await api.newUser()
    for (const path of ['tag-bindings', 'effective-tag-bindings'])
      expect((await api.request('GET', `projects/${id}/${path}`, { token })).status).toBe(404)
    expect((await api.request('PATCH', `projects/${id}/tag-bindings`, { token, body: bindings({ a: '2' }) })).status).toBe(404)
    expect(await pairs(`projects/${id}/tag-bindings`)).toEqual([['a', '1']])
  })

  it('narrow the list of projects', async () => {
    const { name } = await api.newOrganization()
    const path = `organizations/${name}/projects`
    for (const [project, tags] of [
      ['one', { env: 'prod', team: 'a' }],
      ['two', { env: 'test', team: 'a' }],
    ] as const)
      await api.request('POST', path, { body: documentOf('projects', { name: project }, { 'tag-bindings': bindings(tags) }) })
    const found = async (query: string) => (await api.request('GET', `${path}?${query}`)).many().map(({ attributes }) => attributes['name'])
    expect(await found('filter[tagged][0][key]=team')).toEqual(['one', 'two'])
    expect(await found('filter[tagged][0][key]=team&filter[tagged][1][key]=env&filter[tagged][1][value]=test')).toEqual(['two'])
    expect(await found('filter[tagged][0][key]=nothing')).toEqual([])
  })
})

describe('a workspace inherits the tags of its project', () => {
  it('as far as it has none of its own with the key, and they are marked', async () => {
    const project = await newProject({ env: 'prod', team: 'a' })
    const workspace = await newWorkspace(project, { env: 'mine' })
    expect(await pairs(`workspaces/${workspace}/tag-bindings`)).toEqual([['env', 'mine']])
    const effective = (await api.request('GET', `workspaces/${workspace}/effective-tag-bindings`)).many()
    expect(pairsOf(effective)).toEqual([
      ['env', 'mine'],
      ['team', 'a'],
    ])
    expect(effective.map(({ links }) => links)).toEqual([undefined, { 'inherited-from': `/api/v2/projects/${project}` }])
    const { included } = await api.request('GET', `workspaces/${workspace}?include=effective_tag_bindings`)
    expect(included.toSorted((one, other) => String(one.attributes['key']).localeCompare(String(other.attributes['key'])))).toEqual(
      effective,
    )
    expect((await api.read(workspace)).attributes['tag-names']).toEqual(['env'])
  })

  it('and is found by them, unless its own says otherwise', async () => {
    const project = await newProject({ tier: 'gold' })
    const [plain, own] = [await newWorkspace(project), await newWorkspace(project, { tier: 'iron' })]
    const found = async (value: string) => {
      const query = `filter[tagged][0][key]=tier&filter[tagged][0][value]=${value}`
      return (await api.request('GET', `organizations/${organization.name}/workspaces?${query}`)).many().map(({ id }) => id)
    }
    expect(await found('gold')).toEqual([plain])
    expect(await found('iron')).toEqual([own])
  })

  it('of the project where it is now', async () => {
    const [first, second] = [await newProject({ a: '1' }), await newProject({ b: '2' })]
    const workspace = await newWorkspace(first)
    await api.request('PATCH', `workspaces/${workspace}`, {
      body: documentOf('workspaces', {}, { project: { data: { type: 'projects', id: second } } }),
    })
    expect(await pairs(`workspaces/${workspace}/effective-tag-bindings`)).toEqual([['b', '2']])
  })
})
