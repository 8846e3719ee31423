import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFakeClock } from '../../test/harness/fake-clock.ts'
import { type HandRunner, makeHandRunner } from '../../test/harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../../test/harness/runs.ts'

const clock = makeFakeClock()
let api: RunApi
let hand: HandRunner

beforeAll(async () => {
  api = await makeRunApi({ clock })
  hand = makeHandRunner(api)
})
afterAll(() => api.drop())

const configuredWorkspace = async (attributes: Record<string, unknown> = {}): Promise<string> => {
  const { id } = await api.newWorkspace(attributes)
  await api.configured(id)
  return id
}
const startedRun = async (attributes: Record<string, unknown> = {}): Promise<string> => api.newRun(await configuredWorkspace(), attributes)
const eventsOf = async (id: string) => (await api.request('GET', `runs/${id}/run-events?include=comment,actor`)).many()
const actionsOf = async (id: string) => (await eventsOf(id)).map(({ attributes }) => attributes['action'])
const phasesOf = async (id: string) => {
  const run = await api.run(id)
  const read = async (kind: 'plan' | 'apply') => {
    const linkage = run.relationships[kind]?.data
    if (linkage === null || linkage === undefined || Array.isArray(linkage)) throw new Error(`no ${kind}`)
    return (await api.request('GET', `${linkage.type}/${linkage.id}`)).one().attributes
  }
  return { plan: await read('plan'), apply: await read('apply') }
}
const emitted = async (id: string) => {
  const { events } = api.db.t
  return (await api.db.select().from(events).where(eq(events.subject, id)).orderBy(events.sequence)).map(({ type, version }) => [
    type,
    version,
  ])
}

describe('a run from its creation to its end', () => {
  it('tells what happened in order: timestamps, run events, domain events', async () => {
    const id = await startedRun()
    clock.advance(1000)
    await hand.begin(id, 'plan')
    clock.advance(1000)
    await hand.finishPlan(id)
    clock.advance(1000)
    await api.act(id, 'apply', { comment: 'looks good' })
    clock.advance(1000)
    await hand.apply(id)

    const run = await api.run(id)
    const stamps = run.attributes['status-timestamps'] as Record<string, string>
    const path = [
      'plan-queueable-at',
      'queuing-at',
      'plan-queued-at',
      'planning-at',
      'planned-at',
      'confirmed-at',
      'queuing-apply-at',
      'apply-queued-at',
      'applying-at',
      'applied-at',
    ]
    expect(Object.keys(stamps).toSorted()).toEqual(path.toSorted())
    const times = path.map((key) => stamps[key] ?? '')
    expect(times).toEqual(times.toSorted())
    expect(new Set(times).size).toBe(5)
    for (const at of times) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
    expect(run.relationships['confirmed-by']?.data).toMatchObject({ id: api.admin.user.id })

    expect(await actionsOf(id)).toEqual(['created', 'plan_queued', 'planning', 'planned', 'confirmed', 'applying', 'applied'])
    expect(await emitted(id)).toEqual([
      ['run.created', 1],
      ['run.queuing', 2],
      ['run.plan_queued', 2],
      ['run.planning', 3],
      ['run.planned', 4],
      ['run.confirmed', 5],
      ['run.queuing_apply', 5],
      ['run.apply_queued', 5],
      ['run.applying', 6],
      ['run.applied', 7],
    ])
    const { plan, apply } = await phasesOf(id)
    expect(Object.keys(plan['status-timestamps'] as object).toSorted()).toEqual(['finished-at', 'pending-at', 'queued-at', 'started-at'])
    expect(Object.keys(apply['status-timestamps'] as object).toSorted()).toEqual(['finished-at', 'pending-at', 'queued-at', 'started-at'])
    expect([plan['status'], apply['status'], apply['resource-additions']]).toEqual(['finished', 'finished', 1])
  })

  it('applies by itself when it may', async () => {
    const id = await startedRun({ 'auto-apply': true })
    await hand.plan(id)
    expect(await api.statusOf(id)).toBe('apply_queued')
    expect((await api.run(id)).relationships['confirmed-by']?.data).toBeNull()
    expect(await hand.jobs(id)).toMatchObject([{ phase: 'apply' }, { phase: 'plan' }])
  })

  it('ends without an apply when there is nothing to change', async () => {
    const id = await startedRun({ 'auto-apply': true })
    await hand.plan(id, { hasChanges: false })
    expect(await api.statusOf(id)).toBe('planned_and_finished')
    const { plan, apply } = await phasesOf(id)
    expect([plan['status'], apply['status']]).toEqual(['finished', 'unreachable'])
  })

  it('applies nothing when it was asked to', async () => {
    const id = await startedRun({ 'allow-empty-apply': true })
    await hand.plan(id, { hasChanges: false })
    expect(await api.statusOf(id)).toBe('apply_queued')
  })
})

describe('what people do to a run', () => {
  it('a confirmation is taken once', async () => {
    const id = await startedRun()
    expect((await api.act(id, 'apply')).status).toBe(409)
    await hand.plan(id)
    const answers = await Promise.all([api.act(id, 'apply'), api.act(id, 'apply'), api.act(id, 'apply')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409])
    expect((await hand.jobs(id)).filter(({ phase }) => phase === 'apply')).toHaveLength(1)
  })

  it('a comment becomes one comment, and an event that leads to it', async () => {
    const id = await startedRun()
    await hand.plan(id)
    await api.act(id, 'discard', { comment: 'not today' })
    const comments = (await api.request('GET', `runs/${id}/comments`)).many()
    expect(comments.map(({ attributes }) => attributes['body'])).toEqual(['not today'])
    const event = (await eventsOf(id)).at(-1)
    expect(event?.attributes['action']).toBe('discarded')
    expect(event?.relationships['comment']?.data).toMatchObject({ id: comments[0]?.id })
    expect(comments[0]?.relationships['run-event']?.data).toMatchObject({ id: event?.id })
    expect(await api.statusOf(id)).toBe('discarded')
  })

  it('a pending run may be discarded or canceled', async () => {
    const workspaceId = await configuredWorkspace()
    await api.newRun(workspaceId)
    const discarded = await api.newRun(workspaceId)
    const canceled = await api.newRun(workspaceId)
    expect((await api.run(discarded)).attributes['actions']).toMatchObject({ 'is-cancelable': true, 'is-discardable': false })
    expect((await api.act(discarded, 'discard')).status).toBe(202)
    expect((await api.act(canceled, 'cancel')).status).toBe(202)
    expect([await api.statusOf(discarded), await api.statusOf(canceled)]).toEqual(['discarded', 'canceled'])
    const { attributes } = await api.run(canceled)
    expect(attributes['canceled-at']).toBe(clock.now().toISOString())
    expect(Date.parse(String(attributes['force-cancel-available-at']))).toBe(clock.now().getTime() + 60_000)
    const { plan, apply } = await phasesOf(canceled)
    expect([plan['status'], apply['status']]).toEqual(['unreachable', 'unreachable'])
  })

  it('a cancel in the queue ends the run at once and takes its work back', async () => {
    const id = await startedRun()
    expect((await api.act(id, 'cancel')).status).toBe(202)
    expect(await api.statusOf(id)).toBe('canceled')
    expect(await hand.jobs(id)).toEqual([{ phase: 'plan', status: 'done', cancelMode: null }])
    await expect(hand.begin(id, 'plan')).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('a cancel before the apply, too', async () => {
    const id = await startedRun()
    await hand.plan(id)
    await api.act(id, 'apply')
    expect((await api.act(id, 'cancel')).status).toBe(202)
    expect(await api.statusOf(id)).toBe('canceled')
    expect((await hand.jobs(id)).find(({ phase }) => phase === 'apply')?.status).toBe('done')
  })

  it('a cancel at work asks the runner, which ends the run', async () => {
    const id = await startedRun()
    await hand.begin(id, 'plan')
    expect((await api.act(id, 'cancel', { comment: 'stop' })).status).toBe(202)
    expect((await api.act(id, 'cancel')).status).toBe(409)
    const asked = (await api.run(id)).attributes
    expect(asked).toMatchObject({ status: 'planning', 'canceled-at': null })
    expect(asked['actions']).toMatchObject({ 'is-cancelable': false, 'is-force-cancelable': false })
    expect(await hand.jobs(id)).toMatchObject([{ cancelMode: 'interrupt' }])
    expect((await api.act(id, 'force-cancel')).status).toBe(409)
    await hand.end(id, 'plan', 'phase-canceled')
    expect(await api.statusOf(id)).toBe('canceled')
    expect((await actionsOf(id)).slice(-2)).toEqual(['cancel_requested', 'canceled'])
  })

  it('a cancel that comes too late for the plan is kept', async () => {
    const id = await startedRun({ 'auto-apply': true })
    await hand.begin(id, 'plan')
    await api.act(id, 'cancel')
    await hand.finishPlan(id)
    expect(await api.statusOf(id)).toBe('canceled')
  })

  it('force comes after the cool-off, and leaves its mark', async () => {
    const id = await startedRun()
    await hand.begin(id, 'plan')
    await api.act(id, 'cancel')
    clock.advance(60_000)
    expect((await api.run(id)).attributes['actions']).toMatchObject({ 'is-force-cancelable': true })
    expect((await api.act(id, 'force-cancel')).status).toBe(202)
    expect(await hand.jobs(id)).toMatchObject([{ cancelMode: 'kill' }])
    await hand.end(id, 'plan', 'phase-canceled')
    const { attributes } = await api.run(id)
    expect(attributes['status']).toBe('canceled')
    expect(attributes['status-timestamps']).toHaveProperty('force-canceled-at')
    expect((await actionsOf(id)).slice(-3)).toEqual(['cancel_requested', 'force_cancel_requested', 'canceled'])
  })
})

describe('the end of a run', () => {
  it.each(['fail', 'phase-canceled'] as const)('by %s gives the workspace back, once', async (how) => {
    const workspaceId = await configuredWorkspace()
    const id = await api.newRun(workspaceId)
    await hand.begin(id, 'plan')
    await hand.end(id, 'plan', how)
    const ended = await api.run(id)
    expect(await api.lockOf(workspaceId)).toBeUndefined()
    await hand.end(id, 'plan', 'fail')
    expect(await api.run(id)).toEqual(ended)
  })

  it('makes the last snapshot of the run the current state, however it ended', async () => {
    const workspaceId = await configuredWorkspace()
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await hand.plan(id)
    await hand.begin(id, 'apply')
    for (const serial of [1, 2]) {
      const bytes = Buffer.from(
        JSON.stringify({ version: 4, serial, lineage: 'l', terraform_version: '1.11.4', outputs: {}, resources: [] }),
      )
      expect(await api.state.commitRunSnapshot({ workspaceId, runId: id, lineage: 'l', serial, bytes })).toEqual({ kind: 'write' })
    }
    await hand.end(id, 'apply', 'fail')
    const current = (await api.request('GET', `workspaces/${workspaceId}/current-state-version`)).one()
    expect(current.attributes['serial']).toBe(2)
    expect(current.relationships['run']?.data).toMatchObject({ id })
    const next = await api.newRun(workspaceId)
    await hand.begin(next, 'plan')
    expect((await api.run(next)).relationships['input-state-version']?.data).toMatchObject({ id: current.id })
  })
})
