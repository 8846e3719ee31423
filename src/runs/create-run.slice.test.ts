import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHandRunner } from '../../test/harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../../test/harness/runs.ts'

let api: RunApi

beforeAll(async () => {
  api = await makeRunApi()
})
afterAll(() => api.drop())

const workspaceWith = async (attributes: Record<string, unknown> = {}): Promise<string> => {
  const { id } = await api.newWorkspace(attributes)
  await api.configured(id)
  return id
}

describe('a new run', () => {
  it('has the defaults of the platform', async () => {
    const workspaceId = await workspaceWith()
    const run = (await api.postRun(workspaceId)).one()
    expect(run.attributes).toMatchObject({
      message: 'Queued manually via the Terraform Enterprise API',
      source: 'tfe-api',
      'trigger-reason': 'manual',
      'auto-apply': false,
      'is-destroy': false,
      refresh: true,
      'refresh-only': false,
      'plan-only': false,
      'save-plan': false,
      'allow-empty-apply': false,
      'allow-config-generation': false,
      'debugging-mode': false,
      'target-addrs': null,
      'replace-addrs': null,
      'terraform-version': '1.11.4',
      'has-changes': false,
      'canceled-at': null,
      variables: [],
      status: 'plan_queued',
    })
    expect(run.attributes).not.toHaveProperty('force-cancel-available-at')
    expect(Object.keys(run.attributes['status-timestamps'] as object).toSorted()).toEqual([
      'plan-queueable-at',
      'plan-queued-at',
      'queuing-at',
    ])
    expect(run.relationships['created-by']?.data).toEqual({ type: 'users', id: api.admin.user.id })
    expect(run.relationships['confirmed-by']?.data).toBeNull()
    expect(run.relationships['run-events']?.data).toHaveLength(2)
  })

  it('keeps what it was given', async () => {
    const workspaceId = await workspaceWith()
    const given = {
      message: 'why',
      'auto-apply': true,
      'is-destroy': true,
      refresh: false,
      'allow-empty-apply': true,
      'allow-config-generation': true,
      'debugging-mode': true,
      'target-addrs': ['terraform_data.one'],
      'replace-addrs': ['terraform_data.one', 'module.a["b"].x.y'],
      variables: [{ key: 'a', value: 'bare text, no literal' }],
    }
    expect((await api.postRun(workspaceId, given)).one().attributes).toMatchObject(given)
  })

  it('takes auto-apply from its workspace unless it says otherwise', async () => {
    const workspaceId = await workspaceWith({ 'auto-apply': true })
    expect((await api.postRun(workspaceId)).one().attributes['auto-apply']).toBe(true)
    expect((await api.postRun(workspaceId, { 'auto-apply': false })).one().attributes['auto-apply']).toBe(false)
  })

  it('cuts its message at 65,535 characters', async () => {
    const workspaceId = await workspaceWith()
    const message = (await api.postRun(workspaceId, { message: 'm'.repeat(70_000) })).one().attributes['message']
    expect(message).toBe('m'.repeat(65_535))
  })

  it.each([
    ['the cloud block', { 'x-terraform-integration': 'cloud', 'terraform-version': '1.11.4' }, 'terraform+cloud', 'json'],
    ['backend remote', { 'terraform-version': '1.11.4' }, 'terraform', 'text'],
    ['a script', {}, 'tfe-api', 'json'],
  ])('by %s tells so, and has the log that it can read', async (_name, headers, source, logFormat) => {
    const workspaceId = await workspaceWith()
    const run = (await api.postRun(workspaceId, {}, { headers })).one()
    expect(run.attributes['source']).toBe(source)
    const rows = await api.db.select().from(api.db.t.runs)
    expect(rows.find((row) => row.id === run.id)?.logFormat).toBe(logFormat)
  })

  it('has a text log where structured output is off', async () => {
    const workspaceId = await workspaceWith({ 'structured-run-output-enabled': false })
    const id = await api.newRun(workspaceId)
    const rows = await api.db.select().from(api.db.t.runs)
    expect(rows.find((row) => row.id === id)?.logFormat).toBe('text')
  })

  it('pins the variables of its workspace, sealed', async () => {
    const workspaceId = await workspaceWith()
    const body = { data: { type: 'vars', attributes: { key: 'secret', value: 'canary-4711', category: 'terraform', sensitive: true } } }
    await api.request('POST', `workspaces/${workspaceId}/vars`, { body })
    const id = await api.newRun(workspaceId, { variables: [{ key: 'own', value: '"canary-4712"' }] })
    const [row] = (await api.db.select().from(api.db.t.runs)).filter((each) => each.id === id)
    expect(row?.pinnedVariablesSealed.includes('canary-4711')).toBe(false)
    expect(row?.variablesSealed.includes('canary-4712')).toBe(false)
    const pinned = api.runDeps.envelope.openText(row!.pinnedVariablesSealed, `runs/${id}/pinned`)
    expect(JSON.parse(pinned)).toMatchObject([{ key: 'secret', value: 'canary-4711', sensitive: true }])
  })

  it('is made on the state that is current when its plan begins', async () => {
    const workspaceId = await workspaceWith()
    const hand = makeHandRunner(api)
    const first = await api.newRun(workspaceId)
    await hand.plan(first, { hasChanges: false })
    expect((await api.run(first)).relationships['input-state-version']?.data).toBeNull()
  })
})

describe('the configuration of a new run', () => {
  it('is the newest of the workspace that is neither speculative nor provisional', async () => {
    const { id } = await api.newWorkspace()
    await api.configured(id)
    const wanted = await api.configured(id)
    await api.configured(id, undefined, { speculative: true })
    await api.configured(id, undefined, { provisional: true })
    expect((await api.postRun(id)).one().relationships['configuration-version']?.data).toMatchObject({ id: wanted })
  })

  it('may come from another workspace of the organization, and from no other', async () => {
    const here = await api.newWorkspace()
    const beside = await api.newWorkspace({}, here.organization)
    const elsewhere = await api.newWorkspace()
    const promoted = await api.configured(beside.id)
    const foreign = await api.configured(elsewhere.id)
    expect((await api.postRun(here.id, {}, { configurationVersion: promoted })).status).toBe(201)
    const refused = await api.postRun(here.id, {}, { configurationVersion: foreign })
    expect(refused.status).toBe(422)
    expect(refused.errors[0]?.detail).toBe('Configuration version does not exist')
  })

  it('makes the run plan-only when it is speculative, whatever the run says', async () => {
    const { id } = await api.newWorkspace()
    const speculative = await api.configured(id, undefined, { speculative: true })
    const run = (await api.postRun(id, { 'plan-only': false }, { configurationVersion: speculative })).one()
    expect(run.attributes['plan-only']).toBe(true)
  })

  it('may still be on its way: the run waits for it, and starts with it', async () => {
    const { id } = await api.newWorkspace()
    const version = await api.newConfiguration(id)
    const run = await api.newRun(id)
    const next = await api.newRun(id)
    expect([await api.statusOf(run), await api.statusOf(next)]).toEqual(['pending', 'pending'])
    await api.upload(version.attributes['upload-url'], { 'main.tf': '' })
    expect([await api.statusOf(run), await api.statusOf(next)]).toEqual(['plan_queued', 'pending'])
  })
})

describe('a run is refused', () => {
  const refusal = async (attributes: Record<string, unknown>, workspace: Record<string, unknown> = {}): Promise<string> => {
    const answer = await api.postRun(await workspaceWith(workspace), attributes)
    return `${answer.status} ${answer.errors[0]?.detail}`
  }

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ['in a local workspace', {}, { 'execution-mode': 'local' }, 'Runs cannot be created in a workspace whose execution mode is local'],
    ['to destroy and refresh', { 'is-destroy': true, 'refresh-only': true }, {}, 'cannot be both'],
    ['to destroy where that is off', { 'is-destroy': true }, { 'allow-destroy-plan': false }, 'Destroy plans are not allowed'],
    ['to refresh without refresh', { 'refresh-only': true, refresh: false }, {}, 'cannot skip the refresh'],
    ['with a version of its own', { 'terraform-version': '1.10.5' }, {}, 'for plan-only runs only'],
    ['with a version that is none', { 'terraform-version': 'newest', 'plan-only': true }, {}, 'is no Terraform version'],
    ['to save a plan-only plan', { 'plan-only': true, 'save-plan': true }, {}, 'has no plan to save'],
    ['with variables in another form', { variables: { a: 1 } }, {}, 'must be a list'],
    ['with a zero byte', { message: 'a\u0000b' }, {}, 'zero byte'],
  ])('%s', async (_name, attributes, workspace, text) => {
    const answer = await refusal(attributes, workspace)
    expect(answer).toMatch(/^422 /)
    expect(answer).toContain(text)
  })

  it('without a workspace, or without a configuration', async () => {
    const blank = await api.request('POST', 'runs', { body: { data: { type: 'runs', attributes: {} } } })
    expect([blank.status, blank.errors[0]?.detail]).toEqual([422, "Workspace can't be blank"])
    const { id } = await api.newWorkspace()
    const missing = await api.postRun(id)
    expect(missing.status).toBe(422)
    expect(missing.errors[0]?.detail).toContain('Configuration version is missing')
  })

  it('with a configuration that was refused or archived', async () => {
    const { id } = await api.newWorkspace()
    const bad = await api.newConfiguration(id)
    await api.upload(bad.attributes['upload-url'], Buffer.from('no archive'))
    const errored = await api.postRun(id, {}, { configurationVersion: bad.id })
    expect(errored.status).toBe(422)
    expect(errored.errors[0]?.detail).toContain('Configuration version cannot be used: ')
    const old = await api.configured(id)
    await api.configured(id)
    expect((await api.request('POST', `configuration-versions/${old}/actions/archive`)).status).toBe(202)
    const archived = await api.postRun(id, {}, { configurationVersion: old })
    expect([archived.status, archived.errors[0]?.detail]).toEqual([422, 'Configuration version is archived'])
  })

  it('without a trace', async () => {
    const workspaceId = await workspaceWith()
    await api.postRun(workspaceId, { 'is-destroy': true, 'refresh-only': true })
    expect((await api.request('GET', `workspaces/${workspaceId}/runs`)).many()).toEqual([])
  })
})

describe('runs created at once', () => {
  it('have positions of their own, and one of them starts', async () => {
    const workspaceId = await workspaceWith()
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.postRun(workspaceId)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    const rows = (await api.db.select().from(api.db.t.runs)).filter((row) => row.workspaceId === workspaceId)
    expect(rows.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
    const started = rows.filter(({ status }) => status === 'plan_queued')
    expect(started.map(({ position }) => position)).toEqual([1])
    expect(rows.filter(({ status }) => status === 'pending')).toHaveLength(11)
  })
})
