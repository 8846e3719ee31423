import { dirname } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { md5, stateBytes } from '../../test/api/state-versions/state-api.ts'
import { documentOf } from '../../test/harness/api.ts'
import { makeFakeClock } from '../../test/harness/fake-clock.ts'
import { type RunApi, makeRunApi } from '../../test/harness/runs.ts'
import { waitFor } from '../../test/harness/wait-for.ts'
import { makeJobs, type Jobs } from '../platform/jobs/jobs.ts'
import { silentLog } from '../platform/log.ts'
import { makeMaintenance } from './maintenance.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let api: RunApi
let clock: ReturnType<typeof makeFakeClock>
const started: Jobs[] = []
beforeEach(async () => {
  // the blobs' files have the time of the machine
  clock = makeFakeClock(new Date())
  api = await makeRunApi({ clock })
})
afterEach(async () => {
  await stop()
  await api.drop()
})

const start = async (): Promise<void> => {
  const jobs = makeJobs({ db: api.db, clock, log: silentLog, owner: `server-${started.length}` })
  started.push(jobs)
  const platform = { db: api.db, clock, jobs, log: silentLog, installationId: 'test' }
  await makeMaintenance({
    platform,
    dataDir: dirname(api.blobDirectory),
    workspaces: api.workspaces,
    state: api.state,
    runs: api.runs,
  }).start()
}
const stop = () => Promise.all(started.splice(0).map((jobs) => jobs.stop()))

const jobRows = () => api.db.select().from(api.db.t.jobs).where(eq(api.db.t.jobs.queue, 'maintenance'))
const nextTimes = async () => new Map((await jobRows()).map(({ openKey, runAt }) => [openKey, runAt.getTime()]))

/** The clock goes on, and every task that is due has been done. */
const passes = async (ms: number): Promise<void> => {
  clock.advance(ms)
  const now = clock.now().getTime()
  const isWaiting = (job: Awaited<ReturnType<typeof jobRows>>[number]) => job.status === 'queued' && job.runAt.getTime() > now
  await waitFor(async () => (await jobRows()).every(isWaiting), { timeoutMs: 50_000 })
}

const push = async (workspaceId: string, serial: number): Promise<string> => {
  const bytes = stateBytes({ serial })
  const attributes = { serial, md5: md5(bytes), state: bytes.toString('base64') }
  await api.request('POST', `workspaces/${workspaceId}/actions/lock`)
  const made = await api.request('POST', `workspaces/${workspaceId}/state-versions`, { body: documentOf('state-versions', attributes) })
  expect((await api.request('POST', `workspaces/${workspaceId}/actions/unlock`)).status).toBe(200)
  return made.one().id
}
const stateRow = async (id: string) => (await api.db.select().from(api.db.t.stateVersions).where(eq(api.db.t.stateVersions.id, id)))[0]

describe('maintenance', { timeout: 60_000 }, () => {
  it('enforces a policy, and removes the bytes of what is gone', async () => {
    const { id, organization } = await api.newWorkspace()
    await api.request('POST', `organizations/${organization.name}/relationships/data-retention-policy`, {
      body: documentOf('data-retention-policy-delete-olders', { 'delete-older-than-n-days': 3 }),
    })
    const [old, current] = [await push(id, 1), await push(id, 2)]
    const [oldKey, currentKey] = [(await stateRow(old))?.blobKey ?? '', (await stateRow(current))?.blobKey ?? '']
    await start()
    await passes(4 * DAY_MS)
    expect((await stateRow(old))?.status).toBe('backing_data_soft_deleted')
    await passes(8 * DAY_MS)
    expect(await stateRow(old)).toMatchObject({ status: 'backing_data_permanently_deleted', blobKey: null })
    await passes(7 * HOUR_MS)
    expect(await api.blobs.has(oldKey)).toBe(true)
    await passes(31 * HOUR_MS)
    expect([await api.blobs.has(oldKey), await api.blobs.has(currentKey)]).toEqual([false, true])
    expect((await stateRow(current))?.status).toBe('finalized')
  })

  it('removes the bytes of deleted workspaces, and none that another row names', async () => {
    const [one, two] = [await api.newWorkspace(), await api.newWorkspace()]
    const shared = (await stateRow(await push(one.id, 1)))?.blobKey ?? ''
    const own = (await stateRow(await push(one.id, 2)))?.blobKey ?? ''
    expect((await stateRow(await push(two.id, 1)))?.blobKey).toBe(shared)
    await start()
    expect((await api.request('DELETE', `workspaces/${one.id}`)).status).toBe(204)
    await passes(7 * HOUR_MS)
    await passes(32 * HOUR_MS)
    expect([await api.blobs.has(own), await api.blobs.has(shared)]).toEqual([false, true])
  })

  it('keeps its times over restarts, and one of two servers does it', async () => {
    await start()
    const before = await nextTimes()
    expect([...before.keys()].sort()).toEqual(['blobs', 'retention', 'rows', 'states'])
    await stop()
    clock.advance(60_000)
    await start()
    await start()
    expect(await nextTimes()).toEqual(before)
    await passes(HOUR_MS)
    expect((await jobRows()).map(({ status, attempts }) => [status, attempts])).toEqual(Array.from({ length: 4 }, () => ['queued', 0]))
  })
})
