import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestUser, documentOf } from '../../harness/api.ts'
import { makeHandRunner } from '../../harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../../harness/runs.ts'

let api: RunApi
let stranger: TestUser
let organizationToken: string
/** What the paths below need, by placeholder. */
const ids: Record<string, string> = {}

beforeAll(async () => {
  api = await makeRunApi()
  stranger = await api.newUser()
  const workspace = await api.newWorkspace()
  const token = await api.request('POST', `organizations/${workspace.organization.name}/authentication-token`, { body: {} })
  organizationToken = String(token.one().attributes['token'])
  ids['org'] = workspace.organization.name
  ids['ws'] = workspace.id
  ids['cv'] = await api.configured(workspace.id)
  const run = (await api.postRun(workspace.id)).one()
  ids['run'] = run.id
  for (const kind of ['plan', 'apply'] as const) {
    const linkage = run.relationships[kind]?.data
    ids[kind] = linkage === null || linkage === undefined || Array.isArray(linkage) ? '' : linkage.id
  }
  ids['event'] = (await api.request('GET', `runs/${run.id}/run-events`)).many()[0]?.id ?? ''
  const comment = await api.request('POST', `runs/${run.id}/comments`, { body: documentOf('comments', { body: 'hello' }) })
  ids['comment'] = comment.one().id
})
afterAll(() => api.drop())

const pathOf = (pattern: string): string => pattern.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? '')
const runBody = () => documentOf('runs', {}, { workspace: { data: { type: 'workspaces', id: ids['ws'] } } })

const reads = [
  'runs/{run}',
  'workspaces/{ws}/runs',
  'organizations/{org}/runs',
  'organizations/{org}/runs/queue',
  'runs/{run}/run-events',
  'run-events/{event}',
  'runs/{run}/comments',
  'comments/{comment}',
  'plans/{plan}',
  'applies/{apply}',
  'configuration-versions/{cv}',
  'runs/{run}/configuration-version',
  'workspaces/{ws}/configuration-versions',
]
const documents = [
  'plans/{plan}/json-output',
  'runs/{run}/plan/json-output',
  'plans/{plan}/json-output-redacted',
  'plans/{plan}/json-schema',
  'applies/{apply}/errored-state',
]
const actions = ['apply', 'discard', 'cancel', 'force-cancel', 'force-execute'].map((action) => `runs/{run}/actions/${action}`)
const writes: [string, () => unknown][] = [
  ['runs', runBody],
  ['runs/{run}/comments', () => documentOf('comments', { body: 'me too' })],
  ['workspaces/{ws}/configuration-versions', () => documentOf('configuration-versions')],
  ...['archive', 'soft_delete_backing_data', 'restore_backing_data', 'permanently_delete_backing_data'].map(
    (action): [string, () => unknown] => [`configuration-versions/{cv}/actions/${action}`, () => ({})],
  ),
  ...actions.map((path): [string, () => unknown] => [path, () => ({})]),
]
const everything: [string, string, () => unknown][] = [
  ...[...reads, ...documents, 'configuration-versions/{cv}/download', 'runs/{run}/configuration-version/download'].map(
    (path): [string, string, () => unknown] => ['GET', path, () => undefined],
  ),
  ...writes.map(([path, body]): [string, string, () => unknown] => ['POST', path, body]),
]

describe('every endpoint of runs', () => {
  it.each(everything)('%s %s wants a token', async (method, pattern, body) => {
    expect((await api.request(method, pathOf(pattern), { token: '', body: body() })).status).toBe(401)
  })

  it.each(everything)('%s %s is not there for strangers', async (method, pattern, body) => {
    expect((await api.request(method, pathOf(pattern), { token: stranger.token, body: body() })).status).toBe(404)
  })

  it.each(everything.filter(([, pattern]) => pattern.includes('{')))(
    '%s %s answers 404 for what does not exist',
    async (method, pattern, body) => {
      const path = pattern.replaceAll(/\{(\w+)\}/g, (_all, name: string) => (name === 'org' ? 'no-such-org' : `${name}-1111111111111111`))
      expect((await api.request(method, path, { body: body() })).status).toBe(404)
    },
  )

  it.each(writes)('POST %s is not for the token of an organization', async (pattern, body) => {
    expect((await api.request('POST', pathOf(pattern), { token: organizationToken, body: body() })).status).toBe(404)
  })

  it.each(reads)('GET %s is for it', async (pattern) => {
    expect((await api.request('GET', pathOf(pattern), { token: organizationToken })).status).toBe(200)
  })

  it.each(reads)('GET %s is for the owner', async (pattern) => {
    expect((await api.request('GET', pathOf(pattern))).status).toBe(200)
  })
})

describe('permissions', () => {
  it('are told with the run', async () => {
    const all = {
      'can-apply': true,
      'can-cancel': true,
      'can-comment': true,
      'can-discard': true,
      'can-force-cancel': true,
      'can-force-execute': true,
    }
    expect((await api.run(ids['run'] ?? '')).attributes['permissions']).toMatchObject(all)
    const byToken = await api.request('GET', pathOf('runs/{run}'), { token: organizationToken })
    expect(new Set(Object.values(byToken.one().attributes['permissions'] as object))).toEqual(new Set([false]))
  })

  it('of a run token do not reach its own run', async () => {
    const { id, organization } = await api.newWorkspace()
    await api.configured(id)
    const runId = await api.newRun(id)
    await makeHandRunner(api).begin(runId, 'plan')
    const token = await api.db.transaction((tx) =>
      api.accounts.runTokens.issue(tx, { runId, workspaceId: id, organizationId: organization.id }, new Date(Date.now() + 60_000)),
    )
    expect((await api.request('GET', `runs/${runId}`, { token })).status).toBe(404)
    expect((await api.act(runId, 'cancel', {}, token)).status).toBe(404)
  })
})
