import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HandRunner, makeHandRunner } from '../../test/harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../../test/harness/runs.ts'
import { advanceAllQueues } from './advance-queues.ts'
import { listWaitingRuns } from './queue-queries.ts'

let api: RunApi
let hand: HandRunner

beforeAll(async () => {
  api = await makeRunApi()
  hand = makeHandRunner(api)
})
afterAll(() => api.drop())

const configuredWorkspace = async (attributes: Record<string, unknown> = {}): Promise<string> => {
  const { id } = await api.newWorkspace(attributes)
  await api.configured(id)
  return id
}
const statuses = (ids: string[]): Promise<unknown[]> => Promise.all(ids.map((id) => api.statusOf(id)))
const newRuns = async (workspaceId: string, count: number): Promise<string[]> => {
  const ids: string[] = []
  while (ids.length < count) ids.push(await api.newRun(workspaceId))
  return ids
}
const lockActions = (workspaceId: string, action: 'lock' | 'unlock') =>
  api.request('POST', `workspaces/${workspaceId}/actions/${action}`, { body: {} })

describe('the queue of a workspace', () => {
  it('starts one run after the other, first come, first served, each with the lock', async () => {
    const workspaceId = await configuredWorkspace()
    const [first = '', second = '', third = ''] = await newRuns(workspaceId, 3)
    expect(await statuses([first, second, third])).toEqual(['plan_queued', 'pending', 'pending'])
    expect(await api.lockOf(workspaceId)).toMatchObject({ type: 'runs', id: first })

    await hand.plan(first)
    expect(await statuses([first, second, third])).toEqual(['planned', 'pending', 'pending'])
    expect((await api.act(first, 'apply')).status).toBe(202)
    await hand.apply(first)
    expect(await statuses([first, second, third])).toEqual(['applied', 'plan_queued', 'pending'])
    expect(await api.lockOf(workspaceId)).toMatchObject({ id: second })

    await hand.plan(second, { hasChanges: false })
    expect(await statuses([second, third])).toEqual(['planned_and_finished', 'plan_queued'])
    await hand.begin(third, 'plan')
    await hand.end(third, 'plan', 'fail')
    expect(await api.statusOf(third)).toBe('errored')
    expect(await api.lockOf(workspaceId)).toBeUndefined()
  })

  it('waits for the lock of a person', async () => {
    const workspaceId = await configuredWorkspace()
    expect((await lockActions(workspaceId, 'lock')).status).toBe(200)
    const run = await api.newRun(workspaceId)
    expect(await api.statusOf(run)).toBe('pending')
    expect((await lockActions(workspaceId, 'unlock')).status).toBe(200)
    await api.runs.advanceWorkspace(workspaceId)
    expect(await api.statusOf(run)).toBe('plan_queued')
  })

  it('is looked at by the sweep, too', async () => {
    const workspaceId = await configuredWorkspace()
    await lockActions(workspaceId, 'lock')
    const run = await api.newRun(workspaceId)
    await lockActions(workspaceId, 'unlock')
    await api.runs.advanceAllQueues()
    expect(await api.statusOf(run)).toBe('plan_queued')
  })

  it('goes on as far as there are runners, and one by one beyond that', async () => {
    const small = await makeRunApi({ capacity: 1 })
    try {
      const ids: string[] = []
      for (let index = 0; index < 3; index++) {
        const { id } = await small.newWorkspace()
        await small.configured(id)
        ids.push(await small.newRun(id))
      }
      const seen = () => Promise.all(ids.map((id) => small.statusOf(id)))
      expect(await seen()).toEqual(['plan_queued', 'pending', 'pending'])
      await small.runs.advanceAllQueues()
      expect(await seen()).toEqual(['plan_queued', 'pending', 'pending'])
      const waiting = await listWaitingRuns(small.runDeps.db)
      expect(await small.runs.advanceWorkspace(waiting[1]?.workspaceId ?? '', 1)).toBe(1)
      expect((await seen()).filter((status) => status === 'plan_queued')).toHaveLength(2)
    } finally {
      await small.drop()
    }
  })

  it('does not wait for another one that cannot be advanced', async () => {
    const [bad, good] = [await configuredWorkspace(), await configuredWorkspace()]
    for (const each of [bad, good]) await lockActions(each, 'lock')
    const runs = [await api.newRun(bad), await api.newRun(good)]
    for (const each of [bad, good]) await lockActions(each, 'unlock')
    const lockForRun: RunApi['runDeps']['workspaces']['lockForRun'] = async (tx, workspaceId, runId) => {
      if (workspaceId === bad) throw new Error('broken by the test')
      await api.runDeps.workspaces.lockForRun(tx, workspaceId, runId)
    }
    await advanceAllQueues({ ...api.runDeps, workspaces: { ...api.runDeps.workspaces, lockForRun } })
    expect(await statuses(runs)).toEqual(['pending', 'plan_queued'])
  })

  it('is no place for plan-only runs, which take no lock and are never current', async () => {
    const workspaceId = await configuredWorkspace()
    await lockActions(workspaceId, 'lock')
    const waiting = await api.newRun(workspaceId)
    const beside = await api.newRun(workspaceId, { 'plan-only': true })
    expect(await statuses([waiting, beside])).toEqual(['pending', 'plan_queued'])
    await hand.plan(beside)
    expect(await api.statusOf(beside)).toBe('planned_and_finished')
    const workspace = (await api.request('GET', `workspaces/${workspaceId}`)).one()
    expect(workspace.relationships['current-run']?.data).toMatchObject({ id: waiting })
    expect(await api.statusOf(waiting)).toBe('pending')
  })

  it('is short of one place when several ends come at once', async () => {
    const workspaceId = await configuredWorkspace()
    const runs = await newRuns(workspaceId, 6)
    await Promise.all(runs.slice(0, 4).map((run) => api.act(run, 'cancel')))
    const after = await statuses(runs)
    expect(after.slice(4)).toEqual(['plan_queued', 'pending'])
    expect(await api.lockOf(workspaceId)).toMatchObject({ id: runs[4] })
  })
})

describe('saved plans', () => {
  it('plan beside the others, and take the lock with their confirmation', async () => {
    const workspaceId = await configuredWorkspace()
    const other = await api.newRun(workspaceId)
    const saved = await api.newRun(workspaceId, { 'save-plan': true })
    await hand.plan(saved)
    expect(await api.statusOf(saved)).toBe('planned_and_saved')
    const blocked = await api.act(saved, 'apply')
    expect(blocked.status).toBe(409)
    expect(blocked.errors[0]?.detail).toContain('locked or another run is active')

    await api.act(other, 'cancel')
    expect((await api.act(saved, 'apply')).status).toBe(202)
    expect(await api.lockOf(workspaceId)).toMatchObject({ id: saved })
    const workspace = (await api.request('GET', `workspaces/${workspaceId}`)).one()
    expect(workspace.relationships['current-run']?.data).toMatchObject({ id: saved })
    const next = await api.newRun(workspaceId)
    expect(await api.statusOf(next)).toBe('pending')
    await hand.apply(saved)
    expect(await statuses([saved, next])).toEqual(['applied', 'plan_queued'])
  })

  it('are discarded when another run was applied', async () => {
    const workspaceId = await configuredWorkspace()
    const saved = await api.newRun(workspaceId, { 'save-plan': true })
    await hand.plan(saved)
    const other = await api.newRun(workspaceId, { 'auto-apply': true })
    await hand.plan(other)
    await hand.apply(other)
    expect(await statuses([saved, other])).toEqual(['discarded', 'applied'])
    const events = (await api.request('GET', `runs/${saved}/run-events`)).many()
    expect(events.at(-1)?.attributes).toMatchObject({ action: 'discarded', description: `Superseded by ${other}` })
    expect((await api.act(saved, 'apply')).status).toBe(409)
  })

  it('without changes are finished', async () => {
    const workspaceId = await configuredWorkspace()
    const saved = await api.newRun(workspaceId, { 'save-plan': true })
    await hand.plan(saved, { hasChanges: false })
    expect(await api.statusOf(saved)).toBe('planned_and_finished')
  })
})

describe('force-execute', () => {
  it('lets a pending run go first; those in its way are discarded, those after it wait on', async () => {
    const workspaceId = await configuredWorkspace()
    const [holder = '', between = '', wanted = '', after = ''] = await newRuns(workspaceId, 4)
    await hand.plan(holder)
    expect((await api.act(wanted, 'force-execute')).status).toBe(202)
    expect(await statuses([holder, between, wanted, after])).toEqual(['discarded', 'discarded', 'plan_queued', 'pending'])
    expect(await api.lockOf(workspaceId)).toMatchObject({ id: wanted })
  })

  it('is refused when nothing is in the way, or something else than a run', async () => {
    const workspaceId = await configuredWorkspace()
    const running = await api.newRun(workspaceId)
    expect((await api.act(running, 'force-execute')).status).toBe(403)
    const locked = await configuredWorkspace()
    await lockActions(locked, 'lock')
    expect((await api.act(await api.newRun(locked), 'force-execute')).status).toBe(403)
  })

  it('is refused, and changes nothing, while the one in the way is at work', async () => {
    const workspaceId = await configuredWorkspace()
    const [holder = '', between = '', wanted = ''] = await newRuns(workspaceId, 3)
    await hand.begin(holder, 'plan')
    expect((await api.act(wanted, 'force-execute')).status).toBe(409)
    expect(await statuses([holder, between, wanted])).toEqual(['planning', 'pending', 'pending'])
  })

  it('is refused while a saved plan is being applied', async () => {
    const workspaceId = await configuredWorkspace()
    const saved = await api.newRun(workspaceId, { 'save-plan': true })
    await hand.plan(saved)
    await api.act(saved, 'apply')
    await hand.begin(saved, 'apply')
    const wanted = await api.newRun(workspaceId)
    expect((await api.act(wanted, 'force-execute')).status).toBe(409)
    expect(await statuses([saved, wanted])).toEqual(['applying', 'pending'])
  })
})
