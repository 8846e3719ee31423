import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFakeClock } from '../../harness/fake-clock.ts'
import { type StateApi, type TestWorkspace, makeStateApi, resourceOf, stateBytes } from './state-api.ts'

const DAY_MS = 24 * 3_600_000
const clock = makeFakeClock()
let api: StateApi
beforeAll(async () => {
  api = await makeStateApi({ clock })
})
afterAll(() => api.drop())

const bytesOf = (serial: number) =>
  stateBytes({ serial, resources: [resourceOf('a')], outputs: { secret: { value: `s${serial}`, type: 'string', sensitive: true } } })
const act = (id: string, action: string, token?: string) =>
  api.request('POST', `state-versions/${id}/actions/${action}_backing_data`, { token })
const read = async (id: string) => (await api.request('GET', `state-versions/${id}`)).one().attributes
const rowOf = async (id: string) => (await api.db.select().from(api.db.t.stateVersions).where(eq(api.db.t.stateVersions.id, id)))[0]
const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)

const pushed = async (serials: number[], workspace?: TestWorkspace) => {
  const at = workspace ?? (await api.newWorkspace())
  const ids: string[] = []
  for (const serial of serials) ids.push(await api.push(at, bytesOf(serial)))
  return { workspace: at, ids }
}

describe('files of a version', () => {
  it('are marked for deletion, restored, and deleted for good with the outputs', async () => {
    const { ids } = await pushed([1, 2])
    const [id = ''] = ids
    const url = (await read(id))['hosted-state-download-url']
    expect((await act(id, 'soft_delete')).status).toBe(200)
    expect(await read(id)).toMatchObject({
      status: 'backing_data_soft_deleted',
      'hosted-state-download-url': null,
      size: bytesOf(1).length,
    })
    expect((await api.download(url)).status).toBe(404)

    expect((await act(id, 'restore')).status).toBe(200)
    expect(await read(id)).toMatchObject({ status: 'finalized' })
    expect((await api.download(url)).bytes).toEqual(bytesOf(1))

    expect((await act(id, 'soft_delete')).status).toBe(200)
    expect((await act(id, 'permanently_delete')).status).toBe(200)
    expect(await read(id)).toMatchObject({ status: 'backing_data_permanently_deleted', 'hosted-state-download-url': null })
    expect(await rowOf(id)).toMatchObject({ blobKey: null, jsonBlobKey: null })
    expect((await api.request('GET', `state-versions/${id}/outputs`)).many()).toEqual([])
    expect((await api.download(url)).status).toBe(404)
    const again = await act(id, 'restore')
    expect([again.status, again.errors[0]?.title]).toEqual([400, 'transition not allowed'])
  })

  it.each([
    ['current', async () => (await pushed([1])).ids[0] ?? '', 'is current'],
    [
      'made under a lock that is held',
      async () => {
        const workspace = await api.newWorkspace()
        await api.lock(workspace)
        return (await api.create(workspace, bytesOf(1))).one().id
      },
      'was made under a lock',
    ],
    [
      'not there yet',
      async () => {
        const workspace = await api.newWorkspace()
        await api.lock(workspace)
        return (await api.createPending(workspace, bytesOf(1))).one().id
      },
      'is pending',
    ],
  ])('stay when the version is %s', async (_name, make, text) => {
    const id = await make()
    const before = await rowOf(id)
    const answer = await act(id, 'soft_delete')
    expect([answer.status, answer.errors[0]?.title]).toEqual([400, 'transition not allowed'])
    expect(answer.errors[0]?.detail).toContain(text)
    for (const action of ['restore', 'permanently_delete']) expect((await act(id, action)).status).toBe(400)
    expect(await rowOf(id)).toEqual(before)
  })

  it('cannot be gone back to once they are marked', async () => {
    const { workspace, ids } = await pushed([1, 2])
    await act(ids[0] ?? '', 'soft_delete')
    await api.lock(workspace)
    const body = {
      data: { type: 'state-versions', relationships: { 'rollback-state-version': { data: { type: 'state-versions', id: ids[0] } } } },
    }
    expect((await api.request('PATCH', `workspaces/${workspace.id}/state-versions`, { body })).status).toBe(404)
  })

  it('are out of reach for strangers', async () => {
    const { ids } = await pushed([1, 2])
    const { token } = await api.newUser()
    expect((await act(ids[0] ?? '', 'soft_delete', token)).status).toBe(404)
    expect(await read(ids[0] ?? '')).toMatchObject({ status: 'finalized' })
  })
})

describe('a retention policy', () => {
  it('marks what is older, never the current version, and what is marked goes for good later', async () => {
    const { workspace, ids } = await pushed([1])
    clock.advance(20 * DAY_MS)
    await pushed([2, 3], workspace)
    clock.advance(20 * DAY_MS)
    expect(await api.state.deleteOlder(workspace.id, daysAgo(30))).toBe(1)
    expect(await read(ids[0] ?? '')).toMatchObject({ status: 'backing_data_soft_deleted' })
    expect(await api.state.deleteOlder(workspace.id, daysAgo(1))).toBe(1)
    expect(await api.state.deleteOlder(workspace.id, daysAgo(-1))).toBe(0)
    const current = await api.state.currentState(workspace.id)
    expect(current?.serial).toBe(3)

    await api.state.purgeDeleted(daysAgo(7))
    expect((await rowOf(ids[0] ?? ''))?.status).toBe('backing_data_soft_deleted')
    clock.advance(8 * DAY_MS)
    expect(await api.state.purgeDeleted(daysAgo(7))).toBeGreaterThanOrEqual(2)
    expect(await rowOf(ids[0] ?? '')).toMatchObject({ status: 'backing_data_permanently_deleted', blobKey: null })
    expect((await api.state.currentState(workspace.id))?.id).toBe(current?.id)
  })

  it('leaves what is under a lock, and forgets the bytes of what was discarded', async () => {
    const { workspace } = await pushed([1])
    await api.lock(workspace)
    const dropped = (await api.create(workspace, bytesOf(2))).one().id
    await api.create(workspace, bytesOf(3))
    await api.unlock(workspace)
    await api.lock(workspace)
    const pending = (await api.createPending(workspace, bytesOf(5))).one().id
    const snapshot = (await api.create(workspace, bytesOf(4))).one().id
    clock.advance(DAY_MS)
    await api.state.deleteOlder(workspace.id, clock.now())
    expect(await rowOf(dropped)).toMatchObject({ status: 'discarded', blobKey: null })
    expect((await rowOf(snapshot))?.blobKey).not.toBeNull()
    expect((await rowOf(pending))?.status).toBe('discarded')
    await api.unlock(workspace)
    expect((await api.state.currentState(workspace.id))?.serial).toBe(4)
  })
})
