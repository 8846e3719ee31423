import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApi, type TestOrganization, documentOf, makeTestApi } from '../../harness/api.ts'
import { insertWorkspace } from '../../harness/insert-workspace.ts'

let api: TestApi
beforeAll(async () => {
  api = await makeTestApi()
})
afterAll(() => api.drop())

const create = (organization: string, attributes: Record<string, unknown>, token?: string) =>
  api.request('POST', `organizations/${organization}/projects`, { token, body: documentOf('projects', attributes) })
const update = (id: string, attributes: Record<string, unknown>, token?: string) =>
  api.request('PATCH', `projects/${id}`, { token, body: documentOf('projects', attributes) })
const list = (organization: string, query = '', token?: string) =>
  api.request('GET', `organizations/${organization}/projects${query}`, { token })
const namesOf = async (answer: ReturnType<typeof list>) => (await answer).many().map(({ attributes }) => attributes['name'])

describe('POST organizations/:organization/projects', () => {
  it('201 = read = list', async () => {
    const { name } = await api.newOrganization()
    const { status, one } = await create(name, { name: 'Web shop', description: 'all of it' })
    expect(status).toBe(201)
    expect(one()).toMatchObject({
      type: 'projects',
      attributes: {
        name: 'Web shop',
        description: 'all of it',
        'default-execution-mode': 'remote',
        'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
        'auto-destroy-activity-duration': null,
        'workspace-count': 0,
        permissions: { 'can-update': true, 'can-destroy': true },
      },
      relationships: { organization: { data: { type: 'organizations', id: name } } },
    })
    expect(one().id).toMatch(/^prj-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect((await api.request('GET', `projects/${one().id}`)).one()).toEqual(one())
    expect((await list(name)).many()).toContainEqual(one())
  })

  it('201: the same name in another organization, and with an organization token', async () => {
    const first = await api.newOrganization()
    const second = await api.newOrganization()
    const { one } = await api.request('POST', `organizations/${second.name}/authentication-token`)
    expect((await create(first.name, { name: 'shared' })).status).toBe(201)
    expect((await create(second.name, { name: 'shared' }, String(one().attributes['token']))).status).toBe(201)
  })

  it('201: settings that are inherited anyway are accepted', async () => {
    const { name } = await api.newOrganization()
    const { status } = await create(name, {
      name: 'inherits',
      'default-execution-mode': 'remote',
      'auto-destroy-activity-duration': null,
      'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
    })
    expect(status).toBe(201)
  })

  it.each([
    ['no name', {}, "Name can't be blank", 'name'],
    ['a name of other characters', { name: '! / nope' }, 'Name may only contain', 'name'],
    ['a space at its end', { name: 'abc ' }, 'Name may only contain', 'name'],
    ['a space at its beginning', { name: ' abc' }, 'Name may only contain', 'name'],
    ['a short name', { name: 'ab' }, 'Name is too short', 'name'],
    ['a long name', { name: 'p'.repeat(41) }, 'Name is too long', 'name'],
    ['a long description', { name: 'abc', description: 'd'.repeat(257) }, 'Description is too long', 'description'],
    ['another execution mode', { name: 'abc', 'default-execution-mode': 'local' }, 'Default execution mode', 'default-execution-mode'],
    ['an end of its own', { name: 'abc', 'auto-destroy-activity-duration': '3d' }, 'Auto destroy', 'auto-destroy-activity-duration'],
    ['the default name', { name: 'DEFAULT project' }, 'Name has already been taken', 'name'],
  ])('422: %s', async (_, attributes, detail, attribute) => {
    const { name } = await api.newOrganization()
    const { status, errors } = await create(name, attributes)
    expect(status).toBe(422)
    expect(errors[0]).toMatchObject({ title: 'invalid attribute', source: { pointer: `/data/attributes/${attribute}` } })
    expect(errors[0]?.detail).toContain(detail)
  })

  it('401 without a token, 404 as stranger', async () => {
    const { name } = await api.newOrganization()
    expect((await create(name, { name: 'abc' }, '')).status).toBe(401)
    expect((await create(name, { name: 'abc' }, (await api.newUser()).token)).status).toBe(404)
    expect((await create('no-such-one', { name: 'abc' })).status).toBe(404)
  })
})

describe('GET organizations/:organization/projects', () => {
  let organization: TestOrganization
  beforeAll(async () => {
    organization = await api.newOrganization()
    for (const name of ['Alpha', 'beta_1', 'beta 2']) await create(organization.name, { name })
  })

  it('200: all of them by name, with counts', async () => {
    const { many, meta } = await list(organization.name)
    expect(many().map(({ attributes }) => attributes['name'])).toEqual(['Alpha', 'beta 2', 'beta_1', 'Default Project'])
    expect(meta).toMatchObject({ pagination: { 'current-page': 1, 'total-count': 4 }, 'status-counts': { total: 4, matching: 4 } })
  })

  it('200: filter[names] in any case, and it wins over q', async () => {
    expect(await namesOf(list(organization.name, '?filter%5Bnames%5D=default+project'))).toEqual(['Default Project'])
    expect(await namesOf(list(organization.name, '?filter[names]=ALPHA,beta%202&q=Default'))).toEqual(['Alpha', 'beta 2'])
    expect(await namesOf(list(organization.name, '?filter[names]=nothing'))).toEqual([])
    expect((await list(organization.name, '?filter[names]=alpha')).meta['status-counts']).toEqual({ total: 4, matching: 1 })
  })

  it('200: q is looked for in names, as it is written', async () => {
    expect(await namesOf(list(organization.name, '?q=BETA'))).toEqual(['beta 2', 'beta_1'])
    expect(await namesOf(list(organization.name, '?q=a_1'))).toEqual(['beta_1'])
    expect(await namesOf(list(organization.name, '?q=%25'))).toEqual([])
  })

  it('200: sorted and by pages', async () => {
    expect(await namesOf(list(organization.name, '?sort=-name&page[size]=2'))).toEqual(['Default Project', 'beta_1'])
    expect(await namesOf(list(organization.name, '?sort=-name&page[size]=2&page[number]=2'))).toEqual(['beta 2', 'Alpha'])
    const far = await list(organization.name, '?page[number]=999&page[size]=100')
    expect(far.many()).toEqual([])
    expect(far.meta['pagination']).toMatchObject({ 'current-page': 999, 'total-count': 4 })
  })

  it('200: with the organization', async () => {
    const { included } = await list(organization.name, '?include=organization&q=alpha')
    expect(included.map(({ id }) => id)).toEqual([organization.name])
  })

  it('400: an unknown sort', async () => {
    expect((await list(organization.name, '?sort=age')).status).toBe(400)
  })

  it('401 without a token, 404 as stranger', async () => {
    expect((await list(organization.name, '', '')).status).toBe(401)
    expect((await list(organization.name, '', (await api.newUser()).token)).status).toBe(404)
  })
})

describe('PATCH projects/:id', () => {
  it('200: name and description; absent stays, null clears', async () => {
    const { name } = await api.newOrganization()
    const { one } = await create(name, { name: 'before', description: 'old' })
    const renamed = await update(one().id, { name: 'after' })
    expect(renamed.status).toBe(200)
    expect(renamed.one().attributes).toMatchObject({ name: 'after', description: 'old' })
    const cleared = await update(one().id, { description: null })
    expect(cleared.one().attributes).toMatchObject({ name: 'after', description: null })
    expect((await api.request('GET', `projects/${one().id}`)).one()).toEqual(cleared.one())
    expect((await api.request('PATCH', `projects/${one().id}`, { body: { data: { type: 'projects' } } })).one()).toEqual(cleared.one())
  })

  it('422: wrong and taken names', async () => {
    const { name, defaultProjectId } = await api.newOrganization()
    await create(name, { name: 'taken' })
    expect((await update(defaultProjectId, { name: '! / nope' })).errors).toMatchObject([
      { title: 'invalid attribute', detail: expect.stringMatching(/^Name may only contain/) },
    ])
    expect((await update(defaultProjectId, { name: 'TAKEN' })).errors[0]?.detail).toBe('Name has already been taken')
    expect((await update(defaultProjectId, { 'default-execution-mode': 'local' })).status).toBe(422)
  })
})

describe('DELETE projects/:id', () => {
  it('204, then 404', async () => {
    const { name } = await api.newOrganization()
    const { one } = await create(name, { name: 'to go' })
    expect((await api.request('DELETE', `projects/${one().id}`)).status).toBe(204)
    expect((await api.request('GET', `projects/${one().id}`)).status).toBe(404)
  })

  it('422: the default project', async () => {
    const { defaultProjectId } = await api.newOrganization()
    const { status, errors } = await api.request('DELETE', `projects/${defaultProjectId}`)
    expect(status).toBe(422)
    expect(errors[0]?.detail).toContain('default project')
    expect((await api.request('GET', `projects/${defaultProjectId}`)).one().attributes['permissions']).toMatchObject({
      'can-destroy': false,
    })
  })

  it('422: one with workspaces stays whole; its organization can go, with all of it', async () => {
    const organization = await api.newOrganization()
    const { one } = await create(organization.name, { name: 'in use' })
    await insertWorkspace(api.db, { organizationId: organization.id, projectId: one().id })
    const { status, errors } = await api.request('DELETE', `projects/${one().id}`)
    expect(status).toBe(422)
    expect(errors[0]?.detail).toContain('has workspaces')
    expect((await api.request('GET', `projects/${one().id}`)).status).toBe(200)
    expect((await api.request('DELETE', `organizations/${organization.name}`)).status).toBe(204)
    expect(await api.db.$count(api.db.t.workspaces)).toBe(0)
  })
})

describe.each(['GET', 'PATCH', 'DELETE'])('%s projects/:id', (method) => {
  it('401 without a token; 404 as stranger and for what is not there', async () => {
    const { name } = await api.newOrganization()
    const { one } = await create(name, { name: 'mine' })
    expect((await api.request(method, `projects/${one().id}`, { token: '' })).status).toBe(401)
    expect((await api.request(method, `projects/${one().id}`, { token: (await api.newUser()).token })).status).toBe(404)
    for (const id of ['prj-1111111111111111', 'nonexisting']) expect((await api.request(method, `projects/${id}`)).status).toBe(404)
    expect((await api.request('GET', `projects/${one().id}`)).status).toBe(200)
  })
})

it('workspace-count is what the port says', async () => {
  const counted = await makeTestApi({
    slices: [() => ({ endpoints: [], ports: { workspaceCounts: async (ids) => new Map(ids.map((id) => [id, 7])) } })],
  })
  try {
    const { name, defaultProjectId } = await counted.newOrganization()
    expect((await counted.request('GET', `projects/${defaultProjectId}`)).one().attributes['workspace-count']).toBe(7)
    expect((await counted.request('GET', `organizations/${name}/projects`)).many()[0]?.attributes['workspace-count']).toBe(7)
  } finally {
    await counted.drop()
  }
})
