import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { phaseMaterial } from '../../../src/runs/index.ts'
import { documentOf, type TestOrganization } from '../../harness/api.ts'
import { makeRunApi, type RunApi } from '../../harness/runs.ts'

const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0LWNhbmFyeQ==\n-----END OPENSSH PRIVATE KEY-----\n'

let api: RunApi
let organization: TestOrganization
beforeAll(async () => {
  api = await makeRunApi()
  organization = await api.newOrganization()
})
afterAll(() => api.drop())

const create = (attributes: Record<string, unknown>, { name = organization.name, token = api.admin.token } = {}) =>
  api.request('POST', `organizations/${name}/ssh-keys`, { token, body: documentOf('ssh-keys', attributes) })
const newKey = async (name = 'key', of = organization.name) => (await create({ name, value: KEY }, { name: of })).one().id
const assign = (workspaceId: string, id: unknown, token = api.admin.token) =>
  api.request('PATCH', `workspaces/${workspaceId}/relationships/ssh-key`, { token, body: documentOf('workspaces', { id }) })
const keyOf = async (workspaceId: string) => (await api.request('GET', `workspaces/${workspaceId}`)).one().relationships['ssh-key']?.data
const eventsOf = async (subject: string) => {
  const { events } = api.db.t
  return (await api.db.select().from(events).where(eq(events.subject, subject))).map(({ type }) => type)
}

describe('SSH keys', () => {
  it('are created, read, listed, renamed and deleted, and the text is never shown', async () => {
    const created = await create({ name: 'modules', value: KEY })
    expect(created.status).toBe(201)
    const { id } = created.one()
    expect(created.one()).toMatchObject({ type: 'ssh-keys', id: expect.stringMatching(/^sshkey-/), attributes: { name: 'modules' } })
    const renamed = await api.request('PATCH', `ssh-keys/${id}`, { body: documentOf('ssh-keys', { name: 'renamed', value: 'other' }) })
    expect(renamed.one().attributes).toEqual({ name: 'renamed' })
    expect((await api.request('GET', `ssh-keys/${id}`)).one()).toEqual(renamed.one())
    const listed = await api.request('GET', `organizations/${organization.name}/ssh-keys`)
    expect(listed.many()).toContainEqual(renamed.one())
    expect(created.text + renamed.text + listed.text).not.toContain('canary')
    expect((await api.request('DELETE', `ssh-keys/${id}`)).status).toBe(204)
    expect((await api.request('GET', `ssh-keys/${id}`)).status).toBe(404)
    expect(await eventsOf(id)).toEqual(['ssh-key.created', 'ssh-key.updated', 'ssh-key.deleted'])
  })

  it('are sealed in the database and in no event', async () => {
    const id = await newKey()
    const { sshKeys, events } = api.db.t
    const [row] = await api.db.select().from(sshKeys).where(eq(sshKeys.id, id))
    expect(row?.valueSealed.includes('c2VjcmV0')).toBe(false)
    expect(JSON.stringify(await api.db.select().from(events))).not.toContain('c2VjcmV0')
  })

  it.each([
    [{ value: KEY }, 'Name'],
    [{ name: 'a' }, 'Value'],
    [{ name: '', value: KEY }, 'Name'],
    [{ name: 'a', value: '' }, 'Value'],
  ])('422: %j', async (attributes, what) => {
    const { status, errors } = await create(attributes)
    expect(status).toBe(422)
    expect(errors[0]?.detail).toBe(`${what} can't be blank`)
  })

  it('the list has pages when asked for them only', async () => {
    const other = await api.newOrganization()
    for (const name of ['b', 'a', 'c']) await newKey(name, other.name)
    const path = `organizations/${other.name}/ssh-keys`
    expect((await api.request('GET', path)).many().map(({ attributes }) => attributes['name'])).toEqual(['a', 'b', 'c'])
    const page = await api.request('GET', `${path}?page[size]=2&page[number]=2`)
    expect(page.many().map(({ attributes }) => attributes['name'])).toEqual(['c'])
  })

  it('404 for strangers and for organization tokens, and owners alone are told that they may', async () => {
    const id = await newKey()
    const stranger = (await api.newUser()).token
    const made = await api.request('POST', `organizations/${organization.name}/authentication-token`)
    const ofOrganization = String(made.one().attributes['token'])
    for (const token of [stranger, ofOrganization]) {
      expect((await create({ name: 'x', value: KEY }, { token })).status).toBe(404)
      expect((await api.request('GET', `organizations/${organization.name}/ssh-keys`, { token })).status).toBe(404)
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? documentOf('ssh-keys', { name: 'x' }) : undefined
        expect((await api.request(method, `ssh-keys/${id}`, { token, body })).status).toBe(404)
      }
    }
    const permissions = (await api.request('GET', `organizations/${organization.name}`)).one().attributes['permissions']
    expect(permissions).toMatchObject({ 'can-update-ssh-keys': true })
  })
})

describe('the key of a workspace', () => {
  it('is given and taken, and goes when the key does', async () => {
    const id = await newKey()
    const workspace = await api.newWorkspace({}, organization)
    const assigned = await assign(workspace.id, id)
    expect(assigned.status).toBe(200)
    expect(assigned.one()).toMatchObject({ type: 'workspaces', id: workspace.id })
    expect(await keyOf(workspace.id)).toEqual({ type: 'ssh-keys', id })
    await assign(workspace.id, null)
    expect(await keyOf(workspace.id)).toBeNull()
    await assign(workspace.id, id)
    await api.request('DELETE', `ssh-keys/${id}`)
    expect(await keyOf(workspace.id)).toBeNull()
    const changes = (await eventsOf(workspace.id)).filter((type) => type === 'workspace.updated')
    expect(changes).toHaveLength(4)
  })

  it('422 for a key of another organization, one that is missing, and no id; 404 for strangers', async () => {
    const workspace = await api.newWorkspace({}, organization)
    const elsewhere = await newKey('x', (await api.newOrganization()).name)
    for (const id of [elsewhere, 'sshkey-1111111111111111', 'nonsense', undefined])
      expect((await assign(workspace.id, id)).status).toBe(422)
    expect((await assign(workspace.id, await newKey(), (await api.newUser()).token)).status).toBe(404)
    expect(await keyOf(workspace.id)).toBeNull()
  })

  it('reaches the runner', async () => {
    const workspace = await api.newWorkspace({}, organization)
    await assign(workspace.id, await newKey())
    await api.configured(workspace.id)
    const run = await api.newRun(workspace.id)
    expect((await phaseMaterial(api.runDeps, run)).sshPrivateKey).toBe(KEY)
    await assign(workspace.id, null)
    expect((await phaseMaterial(api.runDeps, run)).sshPrivateKey).toBeUndefined()
  })
})
