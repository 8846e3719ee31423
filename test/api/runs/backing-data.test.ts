import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFakeClock } from '../../harness/fake-clock.ts'
import { type RunApi, makeRunApi } from '../../harness/runs.ts'
import { md5, stateBytes } from '../state-versions/state-api.ts'
import { documentOf } from '../../harness/api.ts'

const DAY_MS = 24 * 3_600_000
const clock = makeFakeClock()
let api: RunApi
beforeAll(async () => {
  api = await makeRunApi({ clock })
})
afterAll(() => api.drop())

const act = (id: string, action: string, token?: string) =>
  api.request('POST', `configuration-versions/${id}/actions/${action}_backing_data`, { token })
const statusOf = async (id: string) => (await api.request('GET', `configuration-versions/${id}`)).one().attributes['status']
const download = async (id: string) => (await api.request('GET', `configuration-versions/${id}/download`)).status
const rowOf = async (id: string) =>
  (await api.db.select().from(api.db.t.configurationVersions).where(eq(api.db.t.configurationVersions.id, id)))[0]
const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)
const pushState = async (workspaceId: string, serial: number): Promise<string> => {
  const bytes = stateBytes({ serial })
  const attributes = { serial, md5: md5(bytes), state: bytes.toString('base64') }
  await api.request('POST', `workspaces/${workspaceId}/actions/lock`)
  const made = await api.request('POST', `workspaces/${workspaceId}/state-versions`, { body: documentOf('state-versions', attributes) })
  expect((await api.request('POST', `workspaces/${workspaceId}/actions/unlock`)).status).toBe(200)
  return made.one().id
}

describe('the archive of a configuration version', () => {
  it('is marked for deletion, restored, and deleted for good', async () => {
    const { id: workspaceId } = await api.newWorkspace()
    const id = await api.configured(workspaceId)
    await api.configured(workspaceId)
    expect((await act(id, 'soft_delete')).status).toBe(200)
    expect([await statusOf(id), await download(id)]).toEqual(['backing_data_soft_deleted', 404])
    const refused = await api.postRun(workspaceId, {}, { configurationVersion: id })
    expect([refused.status, refused.errors[0]?.detail]).toEqual([
      422,
      'Configuration version cannot be used: its stored files were deleted',
    ])

    expect((await act(id, 'restore')).status).toBe(200)
    expect([await statusOf(id), await download(id)]).toEqual(['uploaded', 200])

    await act(id, 'soft_delete')
    expect((await act(id, 'permanently_delete')).status).toBe(200)
    expect([await statusOf(id), await download(id)]).toEqual(['backing_data_permanently_deleted', 404])
    expect(await rowOf(id)).toMatchObject({ blobKey: null, sizeBytes: null })
    const again = await act(id, 'restore')
    expect([again.status, again.errors[0]?.title]).toEqual([400, 'transition not allowed'])
  })

  it('stays when the version is current, in use, or has none', async () => {
    const { id: workspaceId } = await api.newWorkspace()
    const used = await api.configured(workspaceId)
    await api.newRun(workspaceId, {}, { configurationVersion: used })
    const current = await api.configured(workspaceId)
    const speculative = await api.newConfiguration(workspaceId, { speculative: true, 'auto-queue-runs': false })
    for (const [id, text] of [
      [used, 'is used by a run in progress'],
      [current, 'is current'],
      [speculative.id, 'is pending'],
    ] as const) {
      const answer = await act(id, 'soft_delete')
      expect([answer.status, answer.errors[0]?.title]).toEqual([400, 'transition not allowed'])
      expect(answer.errors[0]?.detail).toContain(text)
    }
  })

  it('is out of reach for strangers', async () => {
    const { id: workspaceId } = await api.newWorkspace()
    const id = await api.configured(workspaceId)
    await api.configured(workspaceId)
    const { token } = await api.newUser()
    expect((await act(id, 'soft_delete', token)).status).toBe(404)
    expect(await statusOf(id)).toBe('uploaded')
  })
})

describe('a retention policy', () => {
  it('marks old archives, but those that runs need, and they go for good later', async () => {
    const { id: workspaceId } = await api.newWorkspace()
    const old = await api.configured(workspaceId)
    const used = await api.configured(workspaceId)
    const run = await api.newRun(workspaceId, {}, { configurationVersion: used })
    const current = await api.configured(workspaceId)
    clock.advance(10 * DAY_MS)
    expect(await api.runs.deleteOlderConfigurations(workspaceId, daysAgo(11))).toBe(0)
    expect(await api.runs.deleteOlderConfigurations(workspaceId, daysAgo(5))).toBe(1)
    expect([await statusOf(old), await statusOf(used), await statusOf(current)]).toEqual([
      'backing_data_soft_deleted',
      'uploaded',
      'uploaded',
    ])
    await api.act(run, 'cancel')
    expect(await api.runs.purgeDeletedConfigurations(daysAgo(1))).toBe(0)
    clock.advance(2 * DAY_MS)
    expect(await api.runs.purgeDeletedConfigurations(daysAgo(1))).toBe(1)
    expect(await rowOf(old)).toMatchObject({ status: 'backing_data_permanently_deleted', blobKey: null })
  })

  it('leaves an archive that a run of another workspace uses', async () => {
    const { id: workspaceId, organization } = await api.newWorkspace()
    const { id: other } = await api.newWorkspace({}, organization)
    const promoted = await api.configured(workspaceId)
    await api.configured(workspaceId)
    await api.newRun(other, {}, { configurationVersion: promoted })
    clock.advance(10 * DAY_MS)
    expect(await api.runs.deleteOlderConfigurations(workspaceId, clock.now())).toBe(0)
    expect(await statusOf(promoted)).toBe('uploaded')
  })

  it('leaves the state that a run in progress began with', async () => {
    const { id: workspaceId } = await api.newWorkspace()
    await api.configured(workspaceId)
    const first = await pushState(workspaceId, 1)
    // the first run has the lock; the second waits and remembers the state of its creation
    const runs = [await api.newRun(workspaceId), await api.newRun(workspaceId)]
    await api.db.transaction(async (tx) => {
      await tx.update(tx.t.workspaces).set({ currentStateVersionId: null }).where(eq(tx.t.workspaces.id, workspaceId))
    })
    clock.advance(10 * DAY_MS)
    expect(await api.state.deleteOlder(workspaceId, clock.now())).toBe(0)
    expect((await api.request('POST', `state-versions/${first}/actions/soft_delete_backing_data`)).errors[0]?.detail).toContain(
      'is used by a run in progress',
    )
    for (const run of runs.reverse()) await api.act(run, 'cancel')
    expect(await api.state.deleteOlder(workspaceId, clock.now())).toBe(1)
  })
})
