import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHandRunner } from '../harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../harness/runs.ts'

let api: RunApi
beforeAll(async () => {
  api = await makeRunApi({ forceCancelCoolOffMs: 0 })
})
afterAll(() => api.drop())

const lockAction = (workspaceId: string, action: string, token?: string) =>
  api.request('POST', `workspaces/${workspaceId}/actions/${action}`, token === undefined ? {} : { token })

/** What is on record of the workspace's lock. */
const locksOf = async (workspaceId: string) =>
  (await api.db.select().from(api.db.t.events))
    .filter(({ subject, type }) => subject === workspaceId && /\.(un)?locked$/.test(type))
    .toSorted((one, other) => one.sequence - other.sequence)

describe('a lock', () => {
  it('R021: of a run that nobody executes any more names the run, and goes with a forced cancel', async () => {
    const { id } = await api.newWorkspace()
    await api.configured(id)
    const hand = makeHandRunner(api)
    const run = await api.newRun(id)
    await hand.plan(run)
    await api.act(run, 'apply')
    await hand.begin(run, 'apply')

    const read = (await api.request('GET', `workspaces/${id}?include=locked_by`)).one()
    expect(read.attributes['locked']).toBe(true)
    expect(read.relationships['locked-by']).toMatchObject({ data: { type: 'runs', id: run }, links: { related: `/api/v2/runs/${run}` } })
    for (const action of ['unlock', 'force-unlock']) {
      const { status, errors } = await lockAction(id, action)
      expect([status, errors[0]?.detail]).toEqual([409, expect.stringContaining(run)])
      expect((await lockAction(id, action, (await api.newUser()).token)).status).toBe(404)
    }
    // A newer run waits for it.
    const next = await api.newRun(id)
    expect(await api.statusOf(next)).toBe('pending')

    expect((await api.act(run, 'cancel')).status).toBe(202)
    expect((await api.act(run, 'force-cancel')).status).toBe(202)
    await hand.end(run, 'apply', 'phase-canceled')
    expect(await api.statusOf(next)).toBe('plan_queued')
    expect(await api.lockOf(id)).toEqual({ type: 'runs', id: next })
  })

  it('R021: of somebody else is taken away by force alone, and every release is on record', async () => {
    const organization = await api.newOrganization()
    const { id } = await api.newWorkspace({}, organization)
    const { text, one } = await api.request('POST', `organizations/${organization.name}/authentication-token`, { body: {} })
    const token = String(one().attributes['token'])
    expect(text).toContain(token)
    expect((await lockAction(id, 'lock', token)).status).toBe(200)
    const holder = await api.lockOf(id)
    expect(holder?.type).toBe('users')
    const refused = await lockAction(id, 'unlock')
    expect([refused.status, refused.errors[0]?.detail]).toEqual([409, expect.stringContaining('is locked by')])
    expect((await lockAction(id, 'force-unlock', (await api.newUser()).token)).status).toBe(404)
    expect((await lockAction(id, 'force-unlock')).status).toBe(200)
    expect(await api.lockOf(id)).toBeUndefined()
    expect((await lockAction(id, 'lock')).status).toBe(200)
    expect((await lockAction(id, 'unlock')).status).toBe(200)
    expect((await locksOf(id)).map(({ type }) => type)).toEqual(
      ['locked', 'unlocked', 'locked', 'unlocked'].map((what) => `workspace.${what}`),
    )
    expect((await locksOf(id))[1]?.payload).toEqual({ by: holder?.type === 'users' ? 'user' : '', byId: holder?.id })
  })
})
