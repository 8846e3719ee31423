import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApi, documentOf, makeTestApi, testName } from '../../harness/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await makeTestApi()
})
afterAll(() => api.drop())

const create = (attributes: Record<string, unknown>, token?: string) =>
  api.request('POST', 'organizations', { token, body: documentOf('organizations', attributes) })
const update = (name: string, attributes: Record<string, unknown>, token?: string) =>
  api.request('PATCH', `organizations/${name}`, { token, body: documentOf('organizations', attributes) })
const organizationToken = async (name: string) =>
  String((await api.request('POST', `organizations/${name}/authentication-token`)).one().attributes['token'])

describe('POST organizations', () => {
  it('201 = read = list = found by q', async () => {
    const name = testName('acme')
    const email = `${name}@example.com`
    const { status, one } = await create({ name, email })
    expect(status).toBe(201)
    expect(one()).toMatchObject({
      type: 'organizations',
      id: name,
      attributes: {
        name,
        email,
        'default-execution-mode': 'remote',
        'user-tokens-enabled': true,
        'collaborator-auth-policy': 'password',
        'trial-expires-at': null,
        permissions: { 'can-update': true, 'can-destroy': true, 'can-create-workspace': true, 'can-manage-users': false },
      },
    })
    expect(one().attributes['external-id']).toMatch(/^org-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect(one().attributes['remaining-testable-count']).toBeGreaterThan(1)
    expect((await api.request('GET', `organizations/${name}`)).one()).toEqual(one())
    expect((await api.request('GET', 'organizations')).many()).toContainEqual(one())
    expect((await api.request('GET', `organizations?q=${name}`)).many()).toEqual([one()])
    expect((await api.request('GET', `organizations?q=${email.toUpperCase()}`)).many()).toEqual([one()])
  })

  it('201: every setting is kept', async () => {
    const settings = {
      'aggregated-commit-status-enabled': false,
      'allow-force-delete-workspaces': true,
      'assessments-enforced': true,
      'collaborator-auth-policy': 'two_factor_mandatory',
      'cost-estimation-enabled': true,
      'default-execution-mode': 'local',
      'max-ttl-enabled': true,
      'owners-team-saml-role-id': 'owners',
      'send-passing-statuses-for-untriggered-speculative-plans': true,
      'session-remember': 60,
      'session-timeout': 30,
      'speculative-plan-management-enabled': false,
    }
    const name = testName('all')
    const { one } = await create({ name, email: 'a@example.com', ...settings })
    expect(one().attributes).toMatchObject(settings)
    expect((await api.request('GET', `organizations/${name}`)).one()).toEqual(one())
  })

  it('201: its default project is there', async () => {
    const name = testName('default')
    const { one, included } = await api.request('POST', 'organizations?include=default_project', {
      body: documentOf('organizations', { name, email: 'a@example.com' }),
    })
    expect(included).toMatchObject([{ type: 'projects', attributes: { name: 'Default Project' } }])
    expect(one().relationships['default-project']).toEqual({ data: { type: 'projects', id: included[0]?.id } })
  })

  it('401: no token', async () => {
    expect((await create({ name: testName('x'), email: 'a@example.com' }, '')).status).toBe(401)
  })

  it('404: an organization token makes no organizations', async () => {
    const { name } = await api.newOrganization()
    expect((await create({ name: testName('x'), email: 'a@example.com' }, await organizationToken(name))).status).toBe(404)
  })

  it.each([
    ['no name', { email: 'a@example.com' }, "Name can't be blank", 'name'],
    ['an empty name', { name: '', email: 'a@example.com' }, 'Name', 'name'],
    ['a name with a slash', { name: 'a/b', email: 'a@example.com' }, 'Name may only contain', 'name'],
    ['a name of other letters', { name: 'größe', email: 'a@example.com' }, 'Name may only contain', 'name'],
    ['a name that ends with a line break', { name: 'name\n', email: 'a@example.com' }, 'Name may only contain', 'name'],
    ['a name of 41 characters', { name: 'n'.repeat(41), email: 'a@example.com' }, 'Name is too long', 'name'],
    ['no e-mail', { name: 'some-name' }, "Email can't be blank", 'email'],
    ['a wrong e-mail', { name: 'some-name', email: 'x' }, 'Email is invalid', 'email'],
    ['agents', { name: 'some-name', email: 'a@example.com', 'default-execution-mode': 'agent' }, 'no agents', 'default-execution-mode'],
    [
      'a text for a switch',
      { name: 'some-name', email: 'a@example.com', 'user-tokens-enabled': 'no' },
      'true or false',
      'user-tokens-enabled',
    ],
  ])('422: %s', async (_, attributes, detail, attribute) => {
    const { status, errors } = await create(attributes)
    expect(status).toBe(422)
    expect(errors[0]).toMatchObject({ title: 'invalid attribute', source: { pointer: `/data/attributes/${attribute}` } })
    expect(errors[0]?.detail).toContain(detail)
  })

  it('422: a taken name, in another case too, and once of many at once', async () => {
    const name = testName('taken')
    const answers = await Promise.all([name, name.toUpperCase(), name, name].map((name) => create({ name, email: 'a@example.com' })))
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['201', '422', '422', '422'])
    const refused = answers.find(({ status }) => status === 422)
    expect(refused?.errors).toMatchObject([
      { title: 'invalid attribute', detail: 'Name has already been taken', source: { pointer: '/data/attributes/name' } },
    ])
  })

  it('422: no document, 400: no JSON', async () => {
    expect((await api.request('POST', 'organizations')).status).toBe(422)
    expect((await api.request('POST', 'organizations', { body: '{' })).status).toBe(400)
  })
})

describe('GET organizations', () => {
  it('200: only the own ones; site administrators see no more', async () => {
    const mine = await api.newUser()
    const theirs = await api.newOrganization()
    const own = await api.newOrganization(testName('own'), mine.token)
    const list = await api.request('GET', 'organizations', { token: mine.token })
    expect(list.many().map(({ id }) => id)).toEqual([own.name])
    expect(list.meta).toEqual({})
    const all = (await api.request('GET', 'organizations')).many().map(({ id }) => id)
    expect(all).toContain(theirs.name)
    expect(all).not.toContain(own.name)
  })

  it('200: pages on request, also out of range', async () => {
    const { token } = await api.newUser()
    const names = ['a', 'b', 'c'].map((prefix) => testName(prefix))
    for (const name of names) await api.newOrganization(name, token)
    const second = await api.request('GET', 'organizations?page[number]=2&page[size]=2', { token })
    expect(second.many().map(({ id }) => id)).toEqual([names[2]])
    expect(second.meta['pagination']).toMatchObject({
      'current-page': 2,
      'prev-page': 1,
      'next-page': null,
      'total-count': 3,
      'total-pages': 2,
    })
    const far = await api.request('GET', 'organizations?page[number]=999&page[size]=100', { token })
    expect(far.many()).toEqual([])
    expect(far.meta['pagination']).toMatchObject({ 'current-page': 999, 'total-count': 3 })
  })

  it('200: q takes % and _ as they are written', async () => {
    const { token } = await api.newUser()
    await api.newOrganization(testName('plain'), token)
    const marked = await api.newOrganization(`under_${testName('x')}`, token)
    expect((await api.request('GET', 'organizations?q=_', { token })).many().map(({ id }) => id)).toEqual([marked.name])
    expect((await api.request('GET', 'organizations?q=%25', { token })).many()).toEqual([])
  })

  it('200: an organization token sees its one', async () => {
    const { name } = await api.newOrganization()
    const token = await organizationToken(name)
    const { many } = await api.request('GET', 'organizations', { token })
    expect(many()).toEqual([(await api.request('GET', `organizations/${name}`, { token })).one()])
    expect(many()[0]?.attributes['permissions']).toMatchObject({ 'can-update': false, 'can-destroy': false, 'can-create-workspace': true })
    expect((await api.request('GET', 'organizations?q=somewhere-else', { token })).many()).toEqual([])
  })

  it('401: no token', async () => {
    expect((await api.request('GET', 'organizations', { token: '' })).status).toBe(401)
  })
})

describe('GET organizations/:organization', () => {
  it('200: in any case of the name, with what is included', async () => {
    const { name, id, defaultProjectId } = await api.newOrganization()
    const { status, one, included } = await api.request(
      'GET',
      `organizations/${name.toUpperCase()}?include=default-project,entitlement_set`,
    )
    expect(status).toBe(200)
    expect(one().id).toBe(name)
    expect(included.map(({ type, id }) => `${type} ${id}`).sort()).toEqual([`entitlement-sets ${id}`, `projects ${defaultProjectId}`])
  })

  it('400: an unknown include', async () => {
    const { name } = await api.newOrganization()
    const { status, errors } = await api.request('GET', `organizations/${name}?include=secrets`)
    expect(status).toBe(400)
    expect(errors[0]?.detail).toContain('include parameter')
  })
})

describe('PATCH organizations/:organization', () => {
  it('200: nothing given changes nothing, twice the same neither', async () => {
    const { name } = await api.newOrganization()
    const before = (await api.request('GET', `organizations/${name}`)).one()
    for (const body of [{ data: { type: 'organizations' } }, documentOf('organizations', { name }), undefined]) {
      const { status, one } = await api.request('PATCH', `organizations/${name}`, { body })
      expect(status).toBe(200)
      expect(one()).toEqual(before)
    }
  })

  it('200: one setting leaves the others; null clears', async () => {
    const { name } = await api.newOrganization()
    await update(name, { 'session-timeout': 3600, 'cost-estimation-enabled': true })
    const { one } = await update(name, { 'session-remember': 7200, email: 'new@example.com' })
    expect(one().attributes).toMatchObject({
      email: 'new@example.com',
      'session-timeout': 3600,
      'session-remember': 7200,
      'cost-estimation-enabled': true,
    })
    expect((await update(name, { 'session-timeout': null })).one().attributes).toMatchObject({
      'session-timeout': null,
      'session-remember': 7200,
    })
  })

  it('200: a new name is a new address at once; the stable id stays', async () => {
    const { name, id } = await api.newOrganization()
    const next = testName('renamed')
    const { one } = await update(name, { name: next, 'default-execution-mode': 'local' })
    expect(one()).toMatchObject({ id: next, attributes: { name: next, 'external-id': id, 'default-execution-mode': 'local' } })
    expect((await api.request('GET', `organizations/${name}`)).status).toBe(404)
    expect((await api.request('GET', `organizations/${next}`)).one()).toEqual(one())
    expect((await update(next, { name: next.toUpperCase() })).one().id).toBe(next.toUpperCase())
  })

  it('422: a taken name, an agent pool, a wrong value', async () => {
    const { name } = await api.newOrganization()
    const other = await api.newOrganization()
    expect((await update(name, { name: other.name.toUpperCase() })).errors[0]?.detail).toBe('Name has already been taken')
    expect((await update(name, { 'default-execution-mode': 'agent' })).status).toBe(422)
    expect((await update(name, { 'session-timeout': 'long' })).status).toBe(422)
    expect((await update(name, { email: null })).status).toBe(422)
  })
})

describe('user-tokens-enabled', () => {
  it('401 for user tokens of members on all of the organization, 404 for strangers, and other tokens go on', async () => {
    const { name, defaultProjectId } = await api.newOrganization()
    const token = await organizationToken(name)
    expect((await update(name, { 'user-tokens-enabled': false })).one().attributes['user-tokens-enabled']).toBe(false)
    const paths = [
      `organizations/${name}`,
      `organizations/${name}/entitlement-set`,
      `organizations/${name}/projects`,
      `projects/${defaultProjectId}`,
    ]
    const stranger = await api.newUser()
    const statusesAs = (token: string) => Promise.all(paths.map(async (path) => (await api.request('GET', path, { token })).status))
    expect(await statusesAs(api.admin.token)).toEqual([401, 401, 401, 401])
    expect(await statusesAs(stranger.token)).toEqual([404, 404, 404, 404])
    expect(await statusesAs(token)).toEqual([200, 200, 200, 200])
    const { many } = await api.request('GET', 'organizations')
    expect(many().map(({ id }) => id)).not.toContain(name)
  })
})

describe('DELETE organizations/:organization', () => {
  it('204, then 404; its projects and tokens are gone, its name is free', async () => {
    const { name, defaultProjectId } = await api.newOrganization()
    const token = await organizationToken(name)
    expect((await api.request('DELETE', `organizations/${name}`)).status).toBe(204)
    expect((await api.request('GET', `organizations/${name}`)).status).toBe(404)
    expect((await api.request('GET', `projects/${defaultProjectId}`)).status).toBe(404)
    expect((await api.request('GET', 'account/details', { token })).status).toBe(401)
    expect((await create({ name, email: 'a@example.com' })).status).toBe(201)
  })
})

describe('GET organizations/:organization/entitlement-set', () => {
  it('200: true for what is built only; the same by its id', async () => {
    const { name, id } = await api.newOrganization()
    const { status, one } = await api.request('GET', `organizations/${name}/entitlement-set`)
    expect(status).toBe(200)
    expect(one()).toMatchObject({ type: 'entitlement-sets', id })
    const held = Object.entries(one().attributes).filter(([, value]) => value === true)
    expect(held.map(([name]) => name).sort()).toEqual(['operations', 'state-storage', 'teams'])
    expect((await api.request('GET', `entitlement-sets/${id}`)).one()).toEqual(one())
  })
})

describe('GET organizations/:organization/capacity', () => {
  it('200: what the runs say', async () => {
    const counted = await makeTestApi({
      slices: [() => ({ endpoints: [], ports: { runCounts: async () => ({ pending: 3, running: 2 }) } })],
    })
    try {
      const { name } = await counted.newOrganization()
      const { one } = await counted.request('GET', `organizations/${name}/capacity`)
      expect(one()).toEqual({ type: 'organization-capacity', id: name, attributes: { pending: 3, running: 2 } })

      const renamed = await counted.request('PATCH', `organizations/${name}`, {
        body: documentOf('organizations', { name: testName('new') }),
      })
      expect(renamed.status).toBe(422)
      expect(renamed.errors[0]?.detail).toBe('Name cannot be changed while runs are in progress')
    } finally {
      await counted.drop()
    }
  })
})

it.each([
  ['path', 'GET', 'organizations/%00', undefined, 400],
  ['query', 'GET', 'organizations?q=a%00b', undefined, 400],
  [
    'body',
    'POST',
    'organizations',
    documentOf('organizations', { name: 'zero', email: 'a@example.com', 'owners-team-saml-role-id': '\u0000' }),
    422,
  ],
  ['name in the body', 'POST', 'organizations', documentOf('organizations', { name: 'a\u0000', email: 'a@example.com' }), 422],
])('a zero byte in the %s is refused before the database does', async (_, method, path, body, expected) => {
  expect((await api.request(method, path, { body })).status).toBe(expected)
})

describe.each([
  ['GET', ''],
  ['PATCH', ''],
  ['DELETE', ''],
  ['GET', '/entitlement-set'],
  ['GET', '/capacity'],
])('%s organizations/:organization%s', (method, rest) => {
  it('401 without a token; 404 as stranger and for what is not there', async () => {
    const { name } = await api.newOrganization(testName('mine'))
    expect((await api.request(method, `organizations/${name}${rest}`, { token: '' })).status).toBe(401)
    const { token } = await api.newUser()
    expect((await api.request(method, `organizations/${name}${rest}`, { token })).status).toBe(404)
    expect((await api.request(method, `organizations/no-such-one${rest}`)).status).toBe(404)
    expect((await api.request('GET', `organizations/${name}`)).status).toBe(200)
  })

  it('404 for a site administrator who is no member', async () => {
    const { token } = await api.newUser()
    const { name } = await api.newOrganization(testName('theirs'), token)
    expect((await api.request(method, `organizations/${name}${rest}`)).status).toBe(404)
    expect((await api.request('GET', `organizations/${name}`, { token })).status).toBe(200)
  })
})

it('404 for an organization token that would change or delete its organization', async () => {
  const { name } = await api.newOrganization()
  const token = await organizationToken(name)
  expect((await update(name, { email: 'b@example.com' }, token)).status).toBe(404)
  expect((await api.request('DELETE', `organizations/${name}`, { token })).status).toBe(404)
})
