import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from '../../harness/api.ts'
import { type StateApi, type TestWorkspace, makeStateApi, resourceOf, stateBytes } from './state-api.ts'

let api: StateApi
beforeAll(async () => {
  api = await makeStateApi()
})
afterAll(() => api.drop())

const rollBack = (workspace: TestWorkspace, id: string, token?: string) =>
  api.request('PATCH', `workspaces/${workspace.id}/state-versions`, {
    token,
    body: documentOf('state-versions', {}, { 'rollback-state-version': { data: { type: 'state-versions', id } } }),
  })

const pushThree = async (workspace: TestWorkspace) => {
  const ids: string[] = []
  for (const serial of [1, 2, 3])
    ids.push(
      await api.push(
        workspace,
        stateBytes({
          serial,
          resources: [
            resourceOf(
              'a',
              Array.from({ length: serial }, (_, i) => i),
            ),
          ],
        }),
      ),
    )
  return ids
}

describe('roll-back', () => {
  it('R015: makes serial 4 in the row and inside the copy, and the next state is serial 5', async () => {
    const workspace = await api.newWorkspace()
    const [first = ''] = await pushThree(workspace)
    await api.lock(workspace)
    const answer = await rollBack(workspace, first)
    expect(answer.status).toBe(201)
    const { id, attributes } = answer.one()
    expect(attributes).toMatchObject({ serial: 4, status: 'finalized', intermediate: true })
    const copy = (await api.download(attributes['hosted-state-download-url'])).bytes
    const original = stateBytes({ serial: 1, resources: [resourceOf('a', [0])] })
    expect(copy.toString()).toBe(original.toString().replace(/"serial": 1\b/, '"serial": 4'))
    expect((await api.request('GET', `workspaces/${workspace.id}`)).one().attributes['locked']).toBe(true)
    expect((await api.create(workspace, stateBytes({ serial: 5 }))).status).toBe(201)
    await api.unlock(workspace)
    expect((await api.request('GET', `workspaces/${workspace.id}/current-state-version`)).one().attributes['serial']).toBe(5)
    expect((await api.request('GET', `state-versions/${id}`)).one().attributes['status']).toBe('discarded')
  })

  it('becomes current at unlock, with its resources', async () => {
    const workspace = await api.newWorkspace()
    const [first = ''] = await pushThree(workspace)
    await api.lock(workspace)
    const { id } = (await rollBack(workspace, first)).one()
    await api.unlock(workspace)
    expect((await api.request('GET', `workspaces/${workspace.id}`)).one()).toMatchObject({
      attributes: { 'resource-count': 1 },
      relationships: { 'current-state-version': { data: { id } } },
    })
  })

  it('needs the lock, a version of the same workspace, and the right', async () => {
    const workspace = await api.newWorkspace()
    const other = await api.newWorkspace()
    const [first = ''] = await pushThree(workspace)
    const foreign = await api.push(other, stateBytes({ serial: 1 }))
    expect((await rollBack(workspace, first)).status).toBe(409)
    await api.lock(workspace)
    expect((await rollBack(workspace, foreign)).status).toBe(404)
    expect((await rollBack(workspace, 'nonsense')).status).toBe(404)
    const stranger = await api.newUser()
    expect((await rollBack(workspace, first, stranger.token)).status).toBe(404)
    expect((await rollBack(workspace, first, '')).status).toBe(401)
    expect((await api.request('PATCH', `workspaces/${workspace.id}/state-versions`, { body: documentOf('state-versions') })).status).toBe(
      422,
    )
  })
})
