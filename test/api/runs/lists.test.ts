import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestOrganization } from '../../harness/api.ts'
import { type HandRunner, makeHandRunner } from '../../harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../../harness/runs.ts'

let api: RunApi
let hand: HandRunner
let organization: TestOrganization
let workspace: { id: string; name: string }
let other: { id: string; name: string }
const made: Record<string, string> = {}

beforeAll(async () => {
  api = await makeRunApi()
  hand = makeHandRunner(api)
  workspace = await api.newWorkspace()
  organization = (workspace as Awaited<ReturnType<RunApi['newWorkspace']>>).organization
  other = await api.newWorkspace({}, organization)
  await api.configured(workspace.id)
  await api.configured(other.id)
  const add = async (name: string, attributes: Record<string, unknown>): Promise<string> => {
    made[name] = await api.newRun(workspace.id, { message: `the ${name} one, 100%`, ...attributes })
    return made[name]
  }
  await hand.plan(await add('applied', { 'auto-apply': true }))
  await hand.apply(made['applied'] ?? '')
  await hand.plan(await add('planned', {}))
  await add('destroy', { 'is-destroy': true })
  await add('refresh', { 'refresh-only': true })
  await add('saved', { 'save-plan': true })
  await add('empty', { 'allow-empty-apply': true })
  await add('speculative', { 'plan-only': true })
  made['elsewhere'] = await api.newRun(other.id, { message: 'elsewhere' }, {})
})
afterAll(() => api.drop())

/** Names of the listed runs, in their order. */
const listed = async (path: string): Promise<string[]> => {
  const answer = await api.request('GET', path)
  expect(answer.status).toBe(200)
  return answer.many().map(({ id }) => Object.keys(made).find((name) => made[name] === id) ?? id)
}
const ofWorkspace = (query: string): Promise<string[]> => listed(`workspaces/${workspace.id}/runs?${query}`)
const ofOrganization = (query: string): Promise<string[]> => listed(`organizations/${organization.name}/runs?${query}`)
const everyOperation = 'filter[operation]=plan_and_apply,plan_only,save_plan,refresh_only,destroy,empty_apply'

describe('the runs of a workspace', () => {
  it('are listed newest first, without the plan-only ones', async () => {
    expect(await ofWorkspace('')).toEqual(['empty', 'saved', 'refresh', 'destroy', 'planned', 'applied'])
  })

  it.each<[string, string[]]>([
    [everyOperation, ['speculative', 'empty', 'saved', 'refresh', 'destroy', 'planned', 'applied']],
    ['filter[operation]=plan_and_apply', ['planned', 'applied']],
    ['filter[operation]=plan_only', ['speculative']],
    ['filter[operation]=save_plan', ['saved']],
    ['filter[operation]=refresh_only', ['refresh']],
    ['filter[operation]=destroy,empty_apply', ['empty', 'destroy']],
    ['filter[operation]=action_only', []],
    ['filter[operation]=nonsense', []],
    ['filter[status]=applied', ['applied']],
    ['filter[status]=applied,planned', ['planned', 'applied']],
    ['filter[status]=pending&filter[operation]=destroy', ['destroy']],
    ['filter[status]=nonsense', []],
    ['filter[status_group]=final', ['applied']],
    ['filter[status_group]=non_final', ['empty', 'saved', 'refresh', 'destroy', 'planned']],
    ['filter[status_group]=discardable', ['planned']],
    ['filter[status_group]=nonsense', []],
    ['filter[source]=tfe-api&filter[status]=planned', ['planned']],
    ['filter[source]=tfe-ui', []],
    ['filter[agent_pool_names]=pool', []],
    ['filter[timeframe]=nonsense', []],
    ['search[basic]=PLANNED%20ONE', ['planned']],
    ['search[basic]=100%25', ['empty', 'saved', 'refresh', 'destroy', 'planned', 'applied']],
    ['search[basic]=1_0%25', []],
    ['search[basic]=no-such-text', []],
    ['search[commit]=abc', []],
    ['search[user]=no-such-user&search[basic]=planned', []],
  ])('with %s', async (query, expected) => {
    expect(await ofWorkspace(query)).toEqual(expected)
  })

  it('are found by id and by the name of who made them', async () => {
    expect(await ofWorkspace(`search[basic]=${made['planned']}`)).toEqual(['planned'])
    const name = api.admin.user.username.toUpperCase()
    expect(await ofWorkspace(`search[user]=${name}`)).toHaveLength(6)
    expect(await ofWorkspace(`search[basic]=${name}`)).toHaveLength(6)
  })

  it('come in pages with totals', async () => {
    const first = await api.request('GET', `workspaces/${workspace.id}/runs?page[size]=4&page[number]=1`)
    expect(first.many()).toHaveLength(4)
    expect(first.meta['pagination']).toMatchObject({ 'current-page': 1, 'next-page': 2, 'total-pages': 2, 'total-count': 6 })
    expect(await ofWorkspace('page[size]=4&page[number]=2')).toEqual(['planned', 'applied'])
  })

  it('include what is asked for, once', async () => {
    const { included } = await api.request('GET', `workspaces/${workspace.id}/runs?include=workspace,plan,created_by`)
    const types = included.map(({ type }) => type)
    expect(types.filter((type) => type === 'workspaces')).toHaveLength(1)
    expect(types.filter((type) => type === 'users')).toHaveLength(1)
    expect(types.filter((type) => type === 'plans')).toHaveLength(6)
  })
})

describe('the runs of an organization', () => {
  it('are those of all workspaces, newest first, in pages without totals', async () => {
    const all = await ofOrganization('')
    expect(all[0]).toBe('elsewhere')
    expect(all).toHaveLength(7)
    const page = await api.request('GET', `organizations/${organization.name}/runs?page[size]=3&page[number]=2`)
    expect(page.meta['pagination']).toEqual({ 'current-page': 2, 'page-size': 3, 'prev-page': 1, 'next-page': 3 })
    const last = await api.request('GET', `organizations/${organization.name}/runs?page[size]=3&page[number]=3`)
    expect(last.meta['pagination']).toMatchObject({ 'next-page': null })
    const pages = [1, 2, 3].map((number) => ofOrganization(`page[size]=3&page[number]=${number}`))
    expect((await Promise.all(pages)).flat()).toEqual(all)
  })

  it('are narrowed by the names of workspaces', async () => {
    expect(await ofOrganization(`filter[workspace_names]=${other.name.toUpperCase()}`)).toEqual(['elsewhere'])
    expect(await ofOrganization(`filter[workspace_names]=${other.name},${workspace.name}&filter[status]=applied`)).toEqual(['applied'])
    expect(await ofOrganization('filter[workspace_names]=no-such')).toEqual([])
  })

  it('are of the past year, unless another time is asked for', async () => {
    const old = await api.newRun(other.id, { 'plan-only': true })
    made['old'] = old
    await api.db.transaction(async (tx) => {
      await tx
        .update(tx.t.runs)
        .set({ createdAt: new Date('2020-06-01T00:00:00Z') })
        .where(eq(tx.t.runs.id, old))
    })
    expect(await ofOrganization('filter[operation]=plan_only')).toEqual(['speculative'])
    expect(await ofOrganization('filter[operation]=plan_only&filter[timeframe]=year')).toEqual(['speculative'])
    expect(await ofOrganization('filter[operation]=plan_only&filter[timeframe]=2020')).toEqual(['old'])
    expect(await ofOrganization('filter[operation]=plan_only&filter[timeframe]=2019')).toEqual([])
  })
})

describe('the queue of an organization', () => {
  it('is what is served and what waits, in its order, with positions', async () => {
    const { organization, ...first } = await api.newWorkspace()
    const second = await api.newWorkspace({}, organization)
    await api.configured(first.id)
    await api.configured(second.id)
    const running = await api.newRun(first.id)
    await hand.begin(running, 'plan')
    const behind = await api.newRun(first.id)
    const queued = await api.newRun(second.id)
    const done = await api.newRun(second.id, { 'plan-only': true })
    await hand.plan(done)
    const queue = await api.request('GET', `organizations/${organization.name}/runs/queue`)
    expect(queue.many().map(({ id, attributes }) => [id, attributes['status'], attributes['position-in-queue']])).toEqual([
      [running, 'planning', 0],
      [behind, 'pending', 1],
      [queued, 'plan_queued', 2],
    ])
    expect(queue.meta['pagination']).toMatchObject({ 'total-count': 3 })
    const secondPage = await api.request('GET', `organizations/${organization.name}/runs/queue?page[size]=2&page[number]=2`)
    expect(secondPage.many().map(({ id, attributes }) => [id, attributes['position-in-queue']])).toEqual([[queued, 2]])
    expect((await api.run(running)).attributes['position-in-queue']).toBe(0)
    expect((await api.run(behind)).attributes['position-in-queue']).toBe(1)
    const capacity = (await api.request('GET', `organizations/${organization.name}/capacity`)).one().attributes
    expect(capacity).toMatchObject({ pending: 2, running: 1 })
  })
})
