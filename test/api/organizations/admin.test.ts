import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApi, makeTestApi, testName } from '../../harness/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await makeTestApi()
})
afterAll(() => api.drop())

describe('GET admin/feature-sets', () => {
  it('200: one, whatever is asked for', async () => {
    for (const q of ['Business', 'Free', 'Standard (entitlement)']) {
      const { status, many } = await api.request('GET', `admin/feature-sets?q=${encodeURIComponent(q)}`)
      expect(status).toBe(200)
      expect(many()).toEqual([{ type: 'feature-sets', id: 'fs-terrane', attributes: { name: 'Terrane' } }])
    }
  })

  it('401 without a token, 404 for others than site administrators', async () => {
    expect((await api.request('GET', 'admin/feature-sets', { token: '' })).status).toBe(401)
    expect((await api.request('GET', 'admin/feature-sets', { token: (await api.newUser()).token })).status).toBe(404)
  })
})

describe('POST admin/organizations/:organization/subscription', () => {
  const body = { data: { type: 'subscription', attributes: { 'runs-ceiling': 10 }, relationships: {} } }

  it('201: also where the administrator is no member', async () => {
    const { token } = await api.newUser()
    const { name } = await api.newOrganization(testName('theirs'), token)
    expect((await api.request('POST', `admin/organizations/${name}/subscription`, { body })).status).toBe(201)
  })

  it('401 without a token, 404 for the owner who is no site administrator and for what is not there', async () => {
    const { token } = await api.newUser()
    const { name } = await api.newOrganization(testName('theirs'), token)
    expect((await api.request('POST', `admin/organizations/${name}/subscription`, { body, token: '' })).status).toBe(401)
    expect((await api.request('POST', `admin/organizations/${name}/subscription`, { body, token })).status).toBe(404)
    expect((await api.request('POST', 'admin/organizations/no-such-one/subscription', { body })).status).toBe(404)
  })
})
