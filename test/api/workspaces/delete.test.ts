import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, type TestOrganization } from '../../harness/api.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
beforeAll(async () => {
  api = await makeWorkspaceApi()
  organization = await api.newOrganization()
})
afterAll(() => api.drop())

const organizationToken = async (name: string) =>
  String((await api.request('POST', `organizations/${name}/authentication-token`)).one().attributes['token'])

describe('DELETE workspaces/:id and organizations/:organization/workspaces/:name', () => {
  it.each(['id', 'name'])('204: by %s, locked and managing resources as it is, with all that belongs to it', async (by) => {
    const { id, attributes } = await api.newWorkspace(organization.name)
    await api.request('POST', `workspaces/${id}/relationships/tags`, {
      body: { data: [{ type: 'tags', attributes: { name: `only-${by}` } }] },
    })
    await api.request('POST', `workspaces/${id}/vars`, { body: documentOf('vars', { key: 'a', category: 'env' }) })
    await api.request('POST', `workspaces/${id}/actions/lock`)
    await api.setWorkspace(id, { resourceCount: 5 })
    const path = by === 'id' ? `workspaces/${id}` : `organizations/${organization.name}/workspaces/${String(attributes['name'])}`
    expect((await api.request('DELETE', path)).status).toBe(204)
    expect((await api.request('GET', path)).status).toBe(404)
    const { variables, tags } = api.db.t
    expect(await api.db.$count(variables, eq(variables.workspaceId, id))).toBe(0)
    expect(await api.db.$count(tags, eq(tags.name, `only-${by}`))).toBe(0)
  })

  it('403: who sees it and may not, until the organization allows it', async () => {
    const org = await api.newOrganization()
    const token = await organizationToken(org.name)
    const { id } = await api.newWorkspace(org.name)
    expect((await api.request('GET', `workspaces/${id}`, { token })).one().attributes['permissions']).toMatchObject({
      'can-force-delete': false,
    })
    const { status, errors } = await api.request('DELETE', `workspaces/${id}`, { token })
    expect(status).toBe(403)
    expect(errors[0]?.detail).toContain('safe-delete')

    await api.request('PATCH', `organizations/${org.name}`, {
      body: documentOf('organizations', { 'allow-force-delete-workspaces': true }),
    })
    expect((await api.request('GET', `workspaces/${id}`, { token })).one().attributes['permissions']).toMatchObject({
      'can-force-delete': true,
    })
    expect((await api.request('DELETE', `workspaces/${id}`, { token })).status).toBe(204)
  })
})

describe('POST …/actions/safe-delete', () => {
  it.each(['id', 'name'])('204: by %s, with an empty body', async (by) => {
    const { id, attributes } = await api.newWorkspace(organization.name)
    const path = by === 'id' ? `workspaces/${id}` : `organizations/${organization.name}/workspaces/${String(attributes['name'])}`
    expect((await api.request('POST', `${path}/actions/safe-delete`, { body: '' })).status).toBe(204)
    expect((await api.request('GET', path)).status).toBe(404)
  })

  it('409: locked, being processed, or managing resources: the texts that clients look for', async () => {
    const { id } = await api.newWorkspace(organization.name)
    const refusal = async () => {
      const { status, errors } = await api.request('POST', `workspaces/${id}/actions/safe-delete`)
      expect(status).toBe(409)
      return `${errors[0]?.title} ${errors[0]?.detail}`
    }
    await api.request('POST', `workspaces/${id}/actions/lock`)
    expect(await refusal()).toContain('locked')
    await api.request('POST', `workspaces/${id}/actions/unlock`)

    await api.newStateVersion(id, { areResourcesProcessed: false })
    const processing = await refusal()
    expect(processing).toContain('being processed')
    expect(processing).not.toContain('locked')
    await api.db.transaction(async (tx) => {
      await tx.update(tx.t.stateVersions).set({ areResourcesProcessed: true })
    })

    await api.setWorkspace(id, { resourceCount: 2 })
    const managing = await refusal()
    expect(managing).toContain('still managing 2 resources')
    expect(managing).not.toMatch(/locked|being processed/)
    expect((await api.read(id)).id).toBe(id)
  })
})
