import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApi, documentOf, makeTestApi } from '../../harness/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await makeTestApi()
})
afterAll(() => api.drop())

const pathOf = (name: string, kind?: string) => `organizations/${name}/authentication-token${kind === undefined ? '' : `?token=${kind}`}`
const secretOf = async (name: string) => String((await api.request('POST', pathOf(name))).one().attributes['token'])

describe('POST organizations/:organization/authentication-token', () => {
  it('201 = read, by name and by id, but for the secret', async () => {
    const { name } = await api.newOrganization()
    const { status, one } = await api.request('POST', pathOf(name))
    expect(status).toBe(201)
    expect(one().attributes['token']).toMatch(/terranev1/)
    expect(one().relationships).toEqual({ 'created-by': { data: { type: 'users', id: api.admin.user.id } } })
    const made = { ...one(), attributes: { ...one().attributes, token: null } }
    expect((await api.request('GET', pathOf(name))).one()).toEqual(made)
    expect((await api.request('GET', `authentication-tokens/${made.id}`)).one()).toEqual(made)
  })

  it('201: replaces the former, whose secret ends', async () => {
    const { name } = await api.newOrganization()
    const former = await secretOf(name)
    const next = await secretOf(name)
    expect(next).not.toBe(former)
    expect((await api.request('GET', `organizations/${name}`, { token: former })).status).toBe(401)
    expect((await api.request('GET', `organizations/${name}`, { token: next })).status).toBe(200)
  })

  it('201: many at once leave one', async () => {
    const { name } = await api.newOrganization()
    const answers = await Promise.all(Array.from({ length: 8 }, () => secretOf(name)))
    const alive = await Promise.all(answers.map((token) => api.request('GET', `organizations/${name}`, { token })))
    expect(alive.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('201: the token renews itself', async () => {
    const { name } = await api.newOrganization()
    const own = await secretOf(name)
    const { status, one } = await api.request('POST', pathOf(name), { token: own })
    expect(status).toBe(201)
    expect(one().relationships['created-by']).toEqual({ data: { type: 'users', id: api.admin.user.id } })
    expect((await api.request('GET', 'account/details', { token: own })).status).toBe(401)
    expect((await api.request('POST', pathOf(name, 'audit-trails'), { token: String(one().attributes['token']) })).status).toBe(404)
  })

  it('201: an expiry is echoed, absent is two years', async () => {
    const { name } = await api.newOrganization()
    const expiredAt = new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+Z/, 'Z')
    const { one } = await api.request('POST', pathOf(name), { body: documentOf('', { 'expired-at': expiredAt }) })
    expect(Date.parse(String(one().attributes['expired-at']))).toBe(Date.parse(expiredAt))
    const { one: next } = await api.request('POST', pathOf(name))
    const years =
      new Date(String(next().attributes['expired-at'])).getUTCFullYear() -
      new Date(String(next().attributes['created-at'])).getUTCFullYear()
    expect(years).toBe(2)
  })

  it('201: the audit trail token is another one, and opens nothing here', async () => {
    const { name } = await api.newOrganization()
    const plain = (await api.request('POST', pathOf(name))).one()
    const audit = (await api.request('POST', pathOf(name, 'audit-trails'))).one()
    expect((await api.request('GET', pathOf(name))).one().id).toBe(plain.id)
    expect((await api.request('GET', pathOf(name, 'organization'))).one().id).toBe(plain.id)
    expect((await api.request('GET', pathOf(name, 'audit_trails'))).one().id).toBe(audit.id)
    expect((await api.request('GET', `organizations/${name}`, { token: String(audit.attributes['token']) })).status).toBe(401)
  })

  it('422: an expiry in the past', async () => {
    const { name } = await api.newOrganization()
    const { status } = await api.request('POST', pathOf(name), { body: documentOf('', { 'expired-at': '2020-01-01T00:00:00Z' }) })
    expect(status).toBe(422)
  })
})

describe('DELETE organizations/:organization/authentication-token', () => {
  it('204, then 404 to read and to delete', async () => {
    const { name } = await api.newOrganization()
    const secret = await secretOf(name)
    expect((await api.request('DELETE', pathOf(name))).status).toBe(204)
    expect((await api.request('GET', 'account/details', { token: secret })).status).toBe(401)
    expect((await api.request('GET', pathOf(name))).status).toBe(404)
    expect((await api.request('DELETE', pathOf(name))).status).toBe(404)
  })

  it('204: by id', async () => {
    const { name } = await api.newOrganization()
    const { one } = await api.request('POST', pathOf(name))
    expect((await api.request('DELETE', `authentication-tokens/${one().id}`)).status).toBe(204)
    expect((await api.request('GET', pathOf(name))).status).toBe(404)
  })
})

describe.each(['POST', 'GET', 'DELETE'])('%s organizations/:organization/authentication-token', (method) => {
  it('401: no token', async () => {
    const { name } = await api.newOrganization()
    expect((await api.request(method, pathOf(name), { token: '' })).status).toBe(401)
  })

  it('404: as stranger, with the token of another organization, and of kinds that do not exist', async () => {
    const { name } = await api.newOrganization()
    const { one } = await api.request('POST', pathOf(name))
    const other = await secretOf((await api.newOrganization()).name)
    for (const token of [(await api.newUser()).token, other]) {
      expect((await api.request(method, pathOf(name), { token })).status).toBe(404)
      expect((await api.request('GET', `authentication-tokens/${one().id}`, { token })).status).toBe(404)
      expect((await api.request('DELETE', `authentication-tokens/${one().id}`, { token })).status).toBe(404)
    }
    expect((await api.request(method, pathOf(name, 'team'))).status).toBe(404)
    expect((await api.request(method, pathOf('no-such-organization'))).status).toBe(404)
    expect((await api.request('GET', pathOf(name))).one().id).toBe(one().id)
  })
})
