import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApi, documentOf, makeTestApi, testName } from '../../harness/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await makeTestApi()
})
afterAll(() => api.drop())

describe('GET account/details', () => {
  it('200: the user behind the token, with all that clients insist on', async () => {
    const { status, one } = await api.request('GET', 'account/details')
    expect(status).toBe(200)
    expect(one()).toMatchObject({
      type: 'users',
      id: api.admin.user.id,
      attributes: {
        username: 'admin',
        'is-site-admin': true,
        'is-service-account': false,
        'two-factor': { enabled: false, verified: false },
        permissions: { 'can-create-organizations': true, 'can-manage-user-tokens': true },
      },
    })
    expect(one().attributes['avatar-url']).toMatch(/^data:image\/svg\+xml,/)
    expect(one().attributes).not.toHaveProperty('is-scim-managed')
  })

  it('200: an organization token is a service account of its organization', async () => {
    const organization = await api.newOrganization()
    const { one: made } = await api.request('POST', `organizations/${organization.name}/authentication-token`)
    const { status, one } = await api.request('GET', 'account/details', { token: String(made().attributes['token']) })
    expect(status).toBe(200)
    expect(one().attributes).toMatchObject({ 'is-service-account': true, permissions: { 'can-create-organizations': false } })
    expect(one().attributes['username']).toContain(`api-org-${organization.name}-`)
    expect(one().relationships['authenticated-resource']).toEqual({ data: { type: 'organizations', id: organization.name } })
  })

  it.each([
    ['no token', ''],
    ['a malformed one', 'secret'],
    ['an unknown one of the right form', `${'a'.repeat(14)}.terranev1.${'b'.repeat(67)}`],
  ])('401: %s', async (_, token) => {
    const { status, errors } = await api.request('GET', 'account/details', { token })
    expect(status).toBe(401)
    expect(errors).toMatchObject([{ status: '401', title: 'unauthorized' }])
  })
})

describe('PATCH account/update', () => {
  const update = (token: string, attributes: Record<string, unknown>) =>
    api.request('PATCH', 'account/update', { token, body: documentOf('users', attributes) })

  it('200: nothing given changes nothing', async () => {
    const { token } = await api.newUser()
    const before = await api.request('GET', 'account/details', { token })
    const bodies = [documentOf('users'), { data: { type: 'users' } }, undefined]
    for (const body of bodies) expect((await api.request('PATCH', 'account/update', { token, body })).one()).toEqual(before.one())
    expect((await api.request('GET', 'account/details', { token })).one()).toEqual(before.one())
  })

  it('200: username and e-mail, seen by the next read', async () => {
    const { token } = await api.newUser()
    const username = testName('Renamed')
    const { status, one } = await update(token, { username, email: 'new@example.com' })
    expect(status).toBe(200)
    expect(one().attributes).toMatchObject({ username, email: 'new@example.com', 'unconfirmed-email': null })
    expect((await api.request('GET', 'account/details', { token })).one()).toEqual(one())
  })

  it('200: of two changes at once neither is lost', async () => {
    const { token } = await api.newUser()
    for (let round = 0; round < 5; round += 1) {
      const attributes = { username: testName('both'), email: `both-${round}@example.com` }
      await Promise.all([update(token, { username: attributes.username }), update(token, { email: attributes.email })])
      expect((await api.request('GET', 'account/details', { token })).one().attributes).toMatchObject(attributes)
    }
  })

  it('401: no token', async () => {
    expect((await update('', {})).status).toBe(401)
  })

  it('404: an organization token is no user', async () => {
    const { name } = await api.newOrganization()
    const { one } = await api.request('POST', `organizations/${name}/authentication-token`)
    expect((await update(String(one().attributes['token']), { username: testName('x') })).status).toBe(404)
  })

  it.each([
    ['no e-mail address', { email: 'notamailaddress' }, 'Email is invalid', '/data/attributes/email'],
    ['a username of other characters', { username: 'a b' }, 'Username may only contain', '/data/attributes/username'],
    ['an empty username', { username: '' }, 'Username', '/data/attributes/username'],
    ['a username of 61 characters', { username: 'u'.repeat(61) }, 'Username is too long', '/data/attributes/username'],
    ['a number', { username: 1 }, 'Username must be a string', '/data/attributes/username'],
    ['a taken username in another case', { username: 'ADMIN' }, 'Username has already been taken', '/data/attributes/username'],
  ])('422: %s', async (_, attributes, detail, pointer) => {
    const { token } = await api.newUser()
    const { status, errors } = await update(token, attributes)
    expect(status).toBe(422)
    expect(errors).toMatchObject([{ title: 'invalid attribute', detail: expect.stringContaining(detail), source: { pointer } }])
  })
})

describe('GET users/:id', () => {
  it('200: oneself, and anybody for a site administrator', async () => {
    const { user, token } = await api.newUser()
    const own = await api.request('GET', `users/${user.id}`, { token })
    expect(own.one().attributes['username']).toBe(user.username)
    expect((await api.request('GET', `users/${user.id}`)).one()).toEqual(own.one())
  })

  it('401 without a token, 404 for strangers and unknown ids', async () => {
    const { user } = await api.newUser()
    const stranger = await api.newUser()
    expect((await api.request('GET', `users/${user.id}`, { token: '' })).status).toBe(401)
    expect((await api.request('GET', `users/${user.id}`, { token: stranger.token })).status).toBe(404)
    expect((await api.request('GET', 'users/user-unknown')).status).toBe(404)
  })
})
