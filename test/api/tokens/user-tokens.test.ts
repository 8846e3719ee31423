import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApi, type TestUser, documentOf, makeTestApi } from '../../harness/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await makeTestApi()
})
afterAll(() => api.drop())

const create = (of: TestUser, attributes: Record<string, unknown> = {}, token = of.token) =>
  api.request('POST', `users/${of.user.id}/authentication-tokens`, { token, body: documentOf('', attributes) })

describe('POST users/:id/authentication-tokens', () => {
  it('201: the secret is shown once, and works', async () => {
    const me = await api.newUser()
    const { status, one } = await create(me, { description: 'laptop' })
    expect(status).toBe(201)
    const { token: secret, ...rest } = one().attributes
    expect(secret).toMatch(/^[1-9A-HJ-NP-Za-km-z]{14}\.terranev1\.[1-9A-HJ-NP-Za-km-z]{67}$/)
    expect(rest).toMatchObject({ description: 'laptop', 'last-used-at': null })
    expect(one().relationships).toEqual({ 'created-by': { data: { type: 'users', id: me.user.id } } })

    expect((await api.request('GET', 'account/details', { token: String(secret) })).one().id).toBe(me.user.id)
  })

  it('201 = read = list, but for the secret', async () => {
    const me = await api.newUser()
    const { one } = await create(me, { description: '' })
    const made = { ...one(), attributes: { ...one().attributes, token: null } }
    expect((await api.request('GET', `authentication-tokens/${made.id}`, { token: me.token })).one()).toEqual(made)
    const list = await api.request('GET', `users/${me.user.id}/authentication-tokens`, { token: me.token })
    expect(list.many()).toContainEqual(made)
    expect(list.text).not.toContain('terranev1')
    expect(list.meta).toEqual({})
  })

  it('201: without an expiry it is two years after the creation; nothing at all may be sent', async () => {
    const me = await api.newUser()
    for (const body of [undefined, '', { data: { type: '' } }, documentOf('authentication-tokens', { 'expired-at': null })]) {
      const { status, one } = await api.request('POST', `users/${me.user.id}/authentication-tokens`, { token: me.token, body })
      expect(status).toBe(201)
      const expected = new Date(String(one().attributes['created-at']))
      expected.setUTCFullYear(expected.getUTCFullYear() + 2)
      expect(one().attributes['expired-at']).toBe(expected.toISOString())
    }
  })

  it('201: an expiry is echoed', async () => {
    const expiredAt = new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+Z/, 'Z')
    const { one } = await create(await api.newUser(), { 'expired-at': expiredAt })
    expect(Date.parse(String(one().attributes['expired-at']))).toBe(Date.parse(expiredAt))
    expect(one().attributes['expired-at']).toMatch(/Z$/)
  })

  it('401: no token', async () => {
    expect((await create(api.admin, {}, '')).status).toBe(401)
  })

  it('404: for somebody else, even as site administrator, and with an organization token', async () => {
    const me = await api.newUser()
    const { name } = await api.newOrganization()
    const { one } = await api.request('POST', `organizations/${name}/authentication-token`)
    for (const token of [api.admin.token, String(one().attributes['token'])]) expect((await create(me, {}, token)).status).toBe(404)
  })

  it.each([
    ['no time', { 'expired-at': 'tomorrow' }, '/data/attributes/expired-at'],
    ['a past time', { 'expired-at': '2020-01-01T00:00:00Z' }, '/data/attributes/expired-at'],
    ['a time that is not there', { 'expired-at': '2027-02-30T00:00:00Z' }, '/data/attributes/expired-at'],
    ['an endless description', { description: 'd'.repeat(1001) }, '/data/attributes/description'],
    ['a description that is no text', { description: { a: 1 } }, '/data/attributes/description'],
  ])('422: %s', async (_, attributes, pointer) => {
    const { status, errors } = await create(api.admin, attributes)
    expect(status).toBe(422)
    expect(errors).toMatchObject([{ title: 'invalid attribute', source: { pointer } }])
  })
})

describe('GET users/:id/authentication-tokens', () => {
  it('200: those of others are an empty list', async () => {
    const me = await api.newUser()
    const { status, many } = await api.request('GET', `users/${me.user.id}/authentication-tokens`)
    expect(status).toBe(200)
    expect(many()).toEqual([])
    expect((await api.request('GET', 'users/user-unknown/authentication-tokens')).many()).toEqual([])
  })

  it('200: with their creators when asked', async () => {
    const me = await api.newUser()
    const { included } = await api.request('GET', `users/${me.user.id}/authentication-tokens?include=created_by`, { token: me.token })
    expect(included).toMatchObject([{ type: 'users', id: me.user.id, attributes: { username: me.user.username } }])
  })

  it('401: no token', async () => {
    expect((await api.request('GET', `users/${api.admin.user.id}/authentication-tokens`, { token: '' })).status).toBe(401)
  })
})

describe('GET and DELETE authentication-tokens/:id', () => {
  it('204: the token ends at once, and is gone', async () => {
    const me = await api.newUser()
    const { one } = await create(me)
    const secret = String(one().attributes['token'])
    expect((await api.request('GET', 'account/details', { token: secret })).status).toBe(200)
    expect((await api.request('DELETE', `authentication-tokens/${one().id}`, { token: me.token })).status).toBe(204)
    expect((await api.request('GET', 'account/details', { token: secret })).status).toBe(401)
    expect((await api.request('GET', `authentication-tokens/${one().id}`, { token: me.token })).status).toBe(404)
    expect((await api.request('DELETE', `authentication-tokens/${one().id}`, { token: me.token })).status).toBe(404)
  })

  it('401 and 404: without token and as stranger, site administrators included', async () => {
    const me = await api.newUser()
    const { one } = await create(me)
    for (const method of ['GET', 'DELETE']) {
      expect((await api.request(method, `authentication-tokens/${one().id}`, { token: '' })).status).toBe(401)
      expect((await api.request(method, `authentication-tokens/${one().id}`)).status).toBe(404)
    }
    expect((await api.request('GET', `authentication-tokens/${one().id}`, { token: me.token })).status).toBe(200)
  })
})
