import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeRuns } from '../../../src/runs/index.ts'
import { documentOf } from '../../harness/api.ts'
import { makeFakeClock } from '../../harness/fake-clock.ts'
import { type HandRunner, makeHandRunner } from '../../harness/hand-runner.ts'
import { type RunApi, makeRunApi, tinyFiles } from '../../harness/runs.ts'

const clock = makeFakeClock()
const DAY_MS = 86_400_000
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
const linkOf = async (path: string, name: string): Promise<string | undefined> => {
  const linkage = (await api.request('GET', path)).one().relationships[name]?.data
  return linkage === null || linkage === undefined || Array.isArray(linkage) ? undefined : linkage.id
}
const configurationOf = (runId: string): Promise<string | undefined> => linkOf(`runs/${runId}`, 'configuration-version')
const savedPlan = async (workspaceId: string, attributes: Record<string, unknown> = {}): Promise<string> => {
  const provisional = await api.configured(workspaceId, tinyFiles, { provisional: true })
  const id = await api.newRun(workspaceId, { 'save-plan': true, ...attributes }, { configurationVersion: provisional })
  await hand.plan(id)
  return id
}
/** A person changes the state. */
const pushState = async (workspaceId: string): Promise<void> => {
  const at = (action: string) => api.request('POST', `workspaces/${workspaceId}/actions/${action}`, { body: {} })
  expect((await at('lock')).status).toBe(200)
  const state = JSON.stringify({ version: 4, terraform_version: '1.11.4', serial: 1, lineage: 'by-hand', outputs: {}, resources: [] })
  const attributes = {
    serial: 1,
    lineage: 'by-hand',
    md5: createHash('md5').update(state).digest('hex'),
    state: Buffer.from(state).toString('base64'),
  }
  const body = documentOf('state-versions', attributes)
  expect((await api.request('POST', `workspaces/${workspaceId}/state-versions`, { body })).status).toBe(201)
  expect((await at('unlock')).status).toBe(200)
}

describe('the configuration of a run', () => {
  it('is read and downloaded through the run', async () => {
    const workspaceId = await configuredWorkspace()
    const id = await api.newRun(workspaceId)
    const version = (await api.request('GET', `runs/${id}/configuration-version`)).one()
    expect(version.id).toBe(await configurationOf(id))
    const direct = await api.request('GET', `configuration-versions/${version.id}/download`)
    const through = await api.request('GET', `runs/${id}/configuration-version/download`)
    expect([through.status, through.text]).toEqual([200, direct.text])
  })

  it('is the one that was used last, when none is named', async () => {
    const workspaceId = await configuredWorkspace()
    const [first, second] = [await configurationOf(await api.newRun(workspaceId)), await api.configured(workspaceId)]
    expect(await configurationOf(await api.newRun(workspaceId))).toBe(second)
    clock.advance(1000)
    await api.newRun(workspaceId, {}, { configurationVersion: first ?? '' })
    expect(await configurationOf(await api.newRun(workspaceId))).toBe(first)
    clock.advance(1000)
    const third = await api.configured(workspaceId)
    await api.newRun(workspaceId, { 'plan-only': true }, { configurationVersion: first ?? '' })
    expect(await configurationOf(await api.newRun(workspaceId))).toBe(third)
  })

  it('that is provisional becomes the current one when its saved plan is applied, if none is newer', async () => {
    const workspaceId = await configuredWorkspace()
    const before = await linkOf(`workspaces/${workspaceId}`, 'current-configuration-version')
    const saved = await savedPlan(workspaceId)
    expect(await linkOf(`workspaces/${workspaceId}`, 'current-configuration-version')).toBe(before)
    await api.act(saved, 'apply')
    await hand.apply(saved)
    expect(await linkOf(`workspaces/${workspaceId}`, 'current-configuration-version')).toBe(await configurationOf(saved))

    const late = await savedPlan(workspaceId)
    const newer = await api.configured(workspaceId)
    await api.act(late, 'apply')
    await hand.apply(late)
    expect(await linkOf(`workspaces/${workspaceId}`, 'current-configuration-version')).toBe(newer)
  })

  it('starts no run where runs are not executed here, and is taken all the same', async () => {
    const { id } = await api.newWorkspace({ 'execution-mode': 'local' })
    const version = await api.newConfiguration(id, {})
    expect((await api.upload(version.attributes['upload-url'], tinyFiles)).status).toBe(200)
    expect((await api.request('GET', `workspaces/${id}/runs`)).many()).toEqual([])
  })
})

describe('a saved plan', () => {
  it('cannot be applied to another state, and is discarded then', async () => {
    const workspaceId = await configuredWorkspace()
    const saved = await savedPlan(workspaceId)
    await pushState(workspaceId)
    const { status, errors } = await api.act(saved, 'apply')
    expect(status).toBe(409)
    expect(errors[0]?.detail).toContain('The state of the workspace has changed')
    await api.db.transaction((tx) => api.runs.discardStalePlans(tx, workspaceId))
    expect(await api.statusOf(saved)).toBe('discarded')
    const last = (await api.request('GET', `runs/${saved}/run-events`)).many().at(-1)
    expect(last?.attributes).toMatchObject({ action: 'discarded', description: 'The state of the workspace has changed since' })
  })

  it('made after the change is left alone', async () => {
    const workspaceId = await configuredWorkspace()
    await pushState(workspaceId)
    const saved = await savedPlan(workspaceId)
    await api.runs.discardOldPlans()
    expect(await api.statusOf(saved)).toBe('planned_and_saved')
  })

  it('is discarded when nobody has applied it for three weeks', async () => {
    const workspaceId = await configuredWorkspace()
    const saved = await savedPlan(workspaceId)
    clock.advance(20 * DAY_MS)
    await api.runs.discardOldPlans()
    expect(await api.statusOf(saved)).toBe('planned_and_saved')
    clock.advance(2 * DAY_MS)
    await api.runs.discardOldPlans()
    expect(await api.statusOf(saved)).toBe('discarded')
  })

  it('is the current run while it is applied, though others wait', async () => {
    const workspaceId = await configuredWorkspace()
    const saved = await savedPlan(workspaceId)
    await api.act(saved, 'apply')
    const behind = await api.newRun(workspaceId)
    expect(await api.statusOf(behind)).toBe('pending')
    expect(await linkOf(`workspaces/${workspaceId}`, 'current-run')).toBe(saved)
    await hand.apply(saved)
    expect(await linkOf(`workspaces/${workspaceId}`, 'current-run')).toBe(behind)
  })
})

describe('auto-apply', () => {
  it('needs the right to apply: a run by somebody without it waits for a person', async () => {
    const workspaceId = await configuredWorkspace({ 'auto-apply': true })
    const permissionsOf: RunApi['runDeps']['permissionsOf'] = async (...given) => {
      const held = new Set(await api.runDeps.permissionsOf(...given))
      held.delete('run:apply')
      return held
    }
    const planner = makeRuns({ ...api.runDeps, permissionsOf, scanArchive: async () => undefined })
    const ctx = api.ctxOf({ kind: 'user', userId: api.admin.user.id, username: 'u', isSiteAdmin: false, tokenId: 'at-1' })
    const made = await planner.createRun(ctx, { workspace: workspaceId })
    await hand.plan(made.id)
    expect(await api.statusOf(made.id)).toBe('planned')
    expect((await api.run(made.id)).attributes['auto-apply']).toBe(true)
    await api.act(made.id, 'discard')

    const version = await planner.createConfigurationVersion(ctx, workspaceId, { autoQueueRuns: true })
    await api.upload(api.runDeps.signedUrls.sign('configuration', version.id, 60_000), tinyFiles)
    const [queued] = (await api.request('GET', `workspaces/${workspaceId}/runs`)).many()
    await hand.plan(queued?.id ?? '')
    expect(await api.statusOf(queued?.id ?? '')).toBe('planned')
  })
})

describe('a cancel', () => {
  it('of a plan that waits for its next try ends the run at once', async () => {
    const workspaceId = await configuredWorkspace()
    const id = await api.newRun(workspaceId)
    await hand.begin(id, 'plan')
    const { runnerJobs } = api.db.t
    await api.db.transaction(async (tx) => {
      await tx.update(runnerJobs).set({ status: 'pending' }).where(eq(runnerJobs.runId, id))
    })
    expect((await api.act(id, 'cancel')).status).toBe(202)
    expect(await api.statusOf(id)).toBe('canceled')
    expect(await hand.jobs(id)).toMatchObject([{ phase: 'plan', status: 'done' }])
    expect(await api.lockOf(workspaceId)).toBeUndefined()
  })

  it('by force is told with the time of the phase, too', async () => {
    const id = await api.newRun(await configuredWorkspace())
    await hand.begin(id, 'plan')
    await api.act(id, 'cancel')
    expect((await api.act(id, 'force-cancel')).status).toBe(409)
    clock.advance(60_000)
    expect((await api.act(id, 'force-cancel')).status).toBe(202)
    await hand.end(id, 'plan', 'phase-canceled')
    const run = await api.run(id)
    expect(run.attributes['status']).toBe('canceled')
    expect(run.attributes['status-timestamps']).toMatchObject({
      'force-canceled-at': expect.any(String),
      'canceled-at': expect.any(String),
    })
    const plan = (await api.request('GET', `plans/${await linkOf(`runs/${id}`, 'plan')}`)).one()
    expect(plan.attributes['status-timestamps']).toMatchObject({ 'force-canceled-at': expect.any(String) })
  })
})

describe('attributes of a run', () => {
  it('that other programs read are kept as they were sent', async () => {
    const workspaceId = await configuredWorkspace()
    const run = (await api.postRun(workspaceId, { 'policy-paths': ['policies/a', 'policies/b'] })).one()
    expect(run.attributes).toMatchObject({ 'policy-paths': ['policies/a', 'policies/b'], 'invoke-action-addrs': null })
  })

  it.each([
    ['with a terraform that knows no actions', ['action.local_command.one'], {}, 'Actions need terraform 1.14.0'],
    ['two at once', ['action.a.b', 'action.a.c'], {}, 'invokes one action'],
    ['in a destroy', ['action.a.b'], { 'is-destroy': true }, 'neither destroy nor have targets'],
    ['with targets', ['action.a.b'], { 'target-addrs': ['terraform_data.one'] }, 'neither destroy nor have targets'],
  ])('do not invoke an action %s', async (_name, addresses, attributes, text) => {
    const workspaceId = await configuredWorkspace()
    const { status, errors } = await api.postRun(workspaceId, { 'invoke-action-addrs': addresses, ...attributes })
    expect(status).toBe(422)
    expect(errors[0]?.detail).toContain(text)
  })
})
