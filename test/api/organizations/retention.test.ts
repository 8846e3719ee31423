import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from '../../harness/api.ts'
import { type StateApi, makeStateApi } from '../state-versions/state-api.ts'

let api: StateApi
beforeAll(async () => {
  api = await makeStateApi()
})
afterAll(() => api.drop())

const deleteOlder = (days: unknown) => documentOf('data-retention-policy-delete-olders', { 'delete-older-than-n-days': days })
const dontDelete = { data: { type: 'data-retention-policy-dont-deletes' } }

const owners = {
  organization: async () => {
    const { name } = await api.newOrganization()
    return { path: `organizations/${name}`, organization: name }
  },
  workspace: async () => {
    const { id, organization } = await api.newWorkspace()
    return { path: `workspaces/${id}`, organization }
  },
}

describe.each(['organization', 'workspace'] as const)('data retention policy of the %s', (kind) => {
  const begin = async () => {
    const { path } = await owners[kind]()
    const policy = `${path}/relationships/data-retention-policy`
    return {
      policy,
      linked: async () => (await api.request('GET', path)).one().relationships['data-retention-policy']?.data,
      read: async () => api.request('GET', policy),
    }
  }

  it('is set, changed in its days and its kind, and removed', async () => {
    const { policy, linked, read } = await begin()
    expect(await linked()).toBeNull()
    expect((await read()).status).toBe(404)

    const made = await api.request('POST', policy, { body: deleteOlder(33) })
    expect(made.status).toBe(201)
    const { id } = made.one()
    expect(id).toMatch(/^drp-/)
    expect(await linked()).toEqual({ type: 'data-retention-policy-delete-olders', id })

    expect((await api.request('POST', policy, { body: deleteOlder(1) })).one()).toMatchObject({
      id,
      attributes: { 'delete-older-than-n-days': 1 },
    })
    const kept = (await api.request('POST', policy, { body: dontDelete })).one()
    expect(kept.type).toBe('data-retention-policy-dont-deletes')
    expect(await linked()).toEqual({ type: kept.type, id: kept.id })
    expect((await read()).one()).toMatchObject({ id: kept.id })

    expect((await api.request('DELETE', policy)).status).toBe(204)
    expect(await linked()).toBeNull()
    expect((await api.request('DELETE', policy)).status).toBe(204)
  })

  it('takes the form of older clients', async () => {
    const { policy } = await begin()
    const body = documentOf('data-retention-policies', { 'delete-older-than-n-days': 7 })
    expect((await api.request('PATCH', policy, { body })).one()).toMatchObject({
      type: 'data-retention-policies',
      attributes: { 'delete-older-than-n-days': 7 },
    })
  })

  it.each([undefined, null, 0, -1, 1.5, '7', 36_501])('refuses %s days', async (days) => {
    const { policy, linked } = await begin()
    const answer = await api.request('POST', policy, { body: deleteOlder(days) })
    expect(answer.status).toBe(422)
    expect(answer.errors[0]?.source).toEqual({ pointer: '/data/attributes/delete-older-than-n-days' })
    expect(await linked()).toBeNull()
  })

  it('refuses another type', async () => {
    const { policy } = await begin()
    expect((await api.request('POST', policy, { body: documentOf('workspaces') })).status).toBe(422)
    expect((await api.request('POST', policy, { body: { data: {} } })).status).toBe(422)
  })

  it('is not there for strangers', async () => {
    const { policy } = await begin()
    const { token } = await api.newUser()
    const statuses = []
    for (const [method, body] of [['GET'], ['POST', dontDelete], ['DELETE']] as const)
      statuses.push((await api.request(method, policy, { token, body })).status)
    expect(statuses).toEqual([404, 404, 404])
  })
})

describe('the policy that holds for a workspace', () => {
  it('is its own, else that of the organization', async () => {
    const { path, organization } = await owners.workspace()
    const id = path.split('/')[1]
    const limit = async () =>
      (await api.workspaces.listLimitedWorkspaces()).find(({ workspaceId }) => workspaceId === id)?.deleteOlderThanDays
    const set = (owner: string, body: unknown) => api.request('POST', `${owner}/relationships/data-retention-policy`, { body })
    expect(await limit()).toBeUndefined()
    await set(`organizations/${organization}`, deleteOlder(30))
    expect(await limit()).toBe(30)
    await set(path, dontDelete)
    expect(await limit()).toBeUndefined()
    await set(path, deleteOlder(3))
    expect(await limit()).toBe(3)
    await api.request('DELETE', `${path}/relationships/data-retention-policy`)
    expect(await limit()).toBe(30)
  })
})
