import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, testName, type TestOrganization } from '../../harness/api.ts'
import type { TestResource } from '../../harness/answer.ts'
import { makeWorkspaceApi, type WorkspaceApi } from '../../harness/workspaces.ts'

let api: WorkspaceApi
let organization: TestOrganization
let source: TestResource
let first: TestResource
let second: TestResource
beforeAll(async () => {
  api = await makeWorkspaceApi()
})
afterAll(() => api.drop())

const fresh = async () => {
  organization = await api.newOrganization()
  source = await api.newWorkspace(organization.name, { name: 'source' })
  first = await api.newWorkspace(organization.name, { name: 'first' })
  second = await api.newWorkspace(organization.name, { name: 'second' })
}
const path = () => `workspaces/${source.id}/relationships/remote-state-consumers`
const change = (method: string, ids: string[]) =>
  api.request(method, path(), { body: { data: ids.map((id) => ({ type: 'workspaces', id })) } })
const consumers = async () => (await api.request('GET', path())).many()
const update = (attributes: Record<string, unknown>) =>
  api.request('PATCH', `workspaces/${source.id}`, { body: documentOf('workspaces', attributes) })

describe('workspaces/:id/relationships/remote-state-consumers', () => {
  it('POST adds, DELETE removes, PATCH replaces, all as often as asked', async () => {
    await fresh()
    expect((await change('POST', [first.id])).status).toBe(204)
    expect((await change('POST', [first.id, second.id])).status).toBe(204)
    expect(await consumers()).toEqual([first, second])
    expect((await change('DELETE', [first.id])).status).toBe(204)
    expect((await change('DELETE', [first.id])).status).toBe(204)
    expect(await consumers()).toEqual([second])
    expect((await change('PATCH', [first.id])).status).toBe(204)
    expect(await consumers()).toEqual([first])
    expect((await change('PATCH', [])).status).toBe(204)
    expect(await consumers()).toEqual([])
  })

  it('GET is paginated', async () => {
    await fresh()
    await change('POST', [first.id, second.id])
    const { many, meta } = await api.request('GET', `${path()}?page[size]=1&page[number]=2`)
    expect(many()).toEqual([second])
    expect(meta).toMatchObject({ pagination: { 'total-count': 2, 'current-page': 2 } })
  })

  it('are those of the project, or all others, when the state is shared so', async () => {
    await fresh()
    await change('POST', [first.id])
    const project = await api.request('POST', `organizations/${organization.name}/projects`, {
      body: documentOf('projects', { name: testName('prj') }),
    })
    const relationships = { project: { data: { type: 'projects', id: project.one().id } } }
    await api.request('PATCH', `workspaces/${first.id}`, { body: documentOf('workspaces', {}, relationships) })
    await update({ 'project-remote-state': true })
    expect((await consumers()).map(({ id }) => id)).toEqual([second.id])
    await update({ 'project-remote-state': false, 'global-remote-state': true })
    expect((await consumers()).map(({ id }) => id)).toEqual([first.id, second.id])
  })

  it('R068: may read the state with the token of a run, others may not', async () => {
    await fresh()
    const read = async (workspaceId: string) => {
      const holder = { runId: 'run-1111111111111111', workspaceId, organizationId: organization.id }
      const token = await api.db.transaction((tx) => api.accounts.runTokens.issue(tx, holder, new Date(Date.now() + 60_000)))
      return (await api.request('GET', `workspaces/${source.id}`, { token })).status
    }
    expect([await read(first.id), await read(second.id), await read(source.id)]).toEqual([404, 404, 200])
    await change('POST', [first.id])
    expect([await read(first.id), await read(second.id)]).toEqual([200, 404])
    await update({ 'global-remote-state': true })
    expect(await read(second.id)).toBe(200)
  })

  it.each(['POST', 'PATCH', 'DELETE'])('422: %s while the state is shared with all', async (method) => {
    await fresh()
    await update({ 'global-remote-state': true })
    expect((await change(method, [first.id])).status).toBe(422)
  })

  it.each(['POST', 'PATCH'])('422: %s of the workspace itself, of one elsewhere, of none', async (method) => {
    await fresh()
    const other = await api.newOrganization()
    const elsewhere = await api.newWorkspace(other.name)
    for (const id of [source.id, elsewhere.id, 'ws-1111111111111111', 'nonexisting']) {
      const { status } = await change(method, [first.id, id])
      expect(status).toBe(422)
    }
    expect(await consumers()).toEqual([])
  })
})
