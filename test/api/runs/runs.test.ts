import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from '../../harness/api.ts'
import { type HandRunner, makeHandRunner } from '../../harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../../harness/runs.ts'

let api: RunApi
let hand: HandRunner

beforeAll(async () => {
  api = await makeRunApi()
  hand = makeHandRunner(api)
})
afterAll(() => api.drop())

const newWorkspace = async (): Promise<string> => {
  const { id } = await api.newWorkspace()
  await api.configured(id)
  return id
}

describe('POST runs', () => {
  it('answers 201 with the whole resource', async () => {
    const { status, one } = await api.postRun(await newWorkspace(), { message: 'hello' })
    expect(status).toBe(201)
    const run = one()
    expect(run.id).toMatch(/^run-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect(run.links).toMatchObject({ self: `/api/v2/runs/${run.id}` })
    expect(Object.keys(run.relationships).toSorted()).toEqual([
      'apply',
      'comments',
      'configuration-version',
      'confirmed-by',
      'created-by',
      'input-state-version',
      'plan',
      'policy-checks',
      'run-events',
      'task-stages',
      'workspace',
    ])
    expect((await api.request('GET', `runs/${run.id}`)).one()).toEqual(run)
  })

  it.each([
    ['no document', '[]'],
    ['another type', documentOf('workspaces')],
    ['a workspace of another type', documentOf('runs', {}, { workspace: { data: { type: 'projects', id: 'prj-1' } } })],
    ['a text for a flag', documentOf('runs', { 'is-destroy': 'yes' }, { workspace: { data: { type: 'workspaces', id: 'ws-1' } } })],
  ])('answers 422 for %s', async (_name, body) => {
    expect((await api.request('POST', 'runs', { body })).status).toBe(422)
  })

  it('answers 404 for a workspace that is not there', async () => {
    expect((await api.postRun('ws-1111111111111111')).status).toBe(404)
  })

  it('includes what it is asked to', async () => {
    const { included } = await api.request(
      'POST',
      'runs?include=plan,apply,created_by,configuration_version,configuration_version.ingress_attributes,workspace,cost_estimate,task_stages,tf_policy_evaluations',
      { body: documentOf('runs', {}, { workspace: { data: { type: 'workspaces', id: await newWorkspace() } } }) },
    )
    expect(included.map(({ type }) => type).toSorted()).toEqual(['applies', 'configuration-versions', 'plans', 'users', 'workspaces'])
    expect(included.find(({ type }) => type === 'workspaces')?.attributes).toHaveProperty('name')
  })

  it('refuses to include anything else', async () => {
    const id = await api.newRun(await newWorkspace())
    expect((await api.request('GET', `runs/${id}?include=secrets`)).status).toBe(400)
  })
})

describe('the actions of a run', () => {
  it('answer 202 without a body, in the statuses that allow them', async () => {
    const id = await api.newRun(await newWorkspace())
    await hand.plan(id)
    expect((await api.run(id)).attributes['actions']).toEqual({
      'is-cancelable': false,
      'is-confirmable': true,
      'is-discardable': true,
      'is-force-cancelable': false,
    })
    const confirmed = await api.act(id, 'apply')
    expect([confirmed.status, confirmed.text]).toEqual([202, ''])
    const canceled = await api.act(id, 'cancel')
    expect([canceled.status, canceled.text]).toEqual([202, ''])
  })

  it.each(['apply', 'discard', 'cancel', 'force-cancel'])('%s answers 409 when the run has ended', async (action) => {
    const id = await api.newRun(await newWorkspace())
    await api.act(id, 'cancel')
    const { status, errors } = await api.act(id, action)
    expect(status).toBe(409)
    expect(errors[0]?.title).toBe('transition not allowed')
    expect(errors[0]?.detail).toContain('canceled')
  })

  it('force-execute answers 403 then', async () => {
    const id = await api.newRun(await newWorkspace())
    await api.act(id, 'cancel')
    expect((await api.act(id, 'force-execute')).status).toBe(403)
  })

  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['null', { comment: null }],
  ])('take %s for no comment', async (_name, body) => {
    const id = await api.newRun(await newWorkspace())
    const { status } = await api.request('POST', `runs/${id}/actions/cancel`, body === undefined ? {} : { body })
    expect(status).toBe(202)
    expect((await api.request('GET', `runs/${id}/comments`)).many()).toEqual([])
  })

  it('answer 422 for a comment that is none', async () => {
    const id = await api.newRun(await newWorkspace())
    expect((await api.act(id, 'cancel', { comment: 5 })).status).toBe(422)
    expect((await api.act(id, 'cancel', { comment: 'c'.repeat(70_000) })).status).toBe(422)
    expect(await api.statusOf(id)).toBe('plan_queued')
  })
})

describe('run events', () => {
  it('are listed in order and read one by one, with actor and comment', async () => {
    const id = await api.newRun(await newWorkspace())
    await api.act(id, 'cancel', { comment: 'no' })
    const { many, included } = await api.request('GET', `runs/${id}/run-events?include=actor,comment`)
    expect(many().map(({ attributes }) => attributes['action'])).toEqual(['created', 'plan_queued', 'canceled'])
    expect(included.map(({ type }) => type).toSorted()).toEqual(['comments', 'users'])
    const last = many().at(-1)
    const one = (await api.request('GET', `run-events/${last?.id}`)).one()
    expect(one).toEqual(last)
    expect(one.relationships['actor']?.data).toMatchObject({ id: api.admin.user.id })
    expect((await api.run(id)).relationships['run-events']?.data).toHaveLength(3)
  })
})

describe('comments', () => {
  it('are made, read and listed in order, on a run in any status', async () => {
    const id = await api.newRun(await newWorkspace())
    await api.act(id, 'cancel')
    const post = (body: string) => api.request('POST', `runs/${id}/comments`, { body: documentOf('comments', { body }) })
    const made = await post('first ✓')
    expect(made.status).toBe(201)
    await post('second')
    await post('third')
    const comment = made.one()
    expect(comment.id).toMatch(/^wsc-/)
    expect(comment.attributes).toMatchObject({ body: 'first ✓' })
    expect((await api.request('GET', `comments/${comment.id}`)).one()).toEqual(comment)
    const listed = (await api.request('GET', `runs/${id}/comments`)).many()
    expect(listed.map(({ attributes }) => attributes['body'])).toEqual(['first ✓', 'second', 'third'])
    expect((await api.run(id)).relationships['comments']?.data).toEqual(listed.map((each) => ({ type: 'comments', id: each.id })))
    const { included } = await api.request('GET', `comments/${comment.id}?include=run_event`)
    expect(included[0]?.attributes['action']).toBe('commented')
  })

  it.each([
    ['no body', {}],
    ['an empty body', { body: '' }],
    ['a body that is no text', { body: 1 }],
    ['a long body', { body: 'c'.repeat(70_000) }],
  ])('answer 422 for %s', async (_name, attributes) => {
    const id = await api.newRun(await newWorkspace())
    expect((await api.request('POST', `runs/${id}/comments`, { body: documentOf('comments', attributes) })).status).toBe(422)
  })
})
