import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from '../harness/api.ts'
import { type Controllers, makeControllers } from '../harness/controllers.ts'
import { makeHandRunner } from '../harness/hand-runner.ts'
import { isAbsent } from '../harness/requirements.ts'
import { type RunApi, makeRunApi } from '../harness/runs.ts'

const outputsOf = async (api: Controllers, workspaceId: string): Promise<Record<string, unknown>> => {
  const outputs = (await api.request('GET', `workspaces/${workspaceId}/current-state-version-outputs`)).many()
  return Object.fromEntries(outputs.map(({ attributes }) => [attributes['name'], attributes['value']]))
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

const two = 'resource "terraform_data" "one" {}\nresource "terraform_data" "two" {}\n'

describe('the actions of a run', () => {
  let api: RunApi
  beforeAll(async () => {
    api = await makeRunApi()
  })
  afterAll(() => api.drop())

  const waiting = async (): Promise<string> => {
    const { id } = await api.newWorkspace()
    await api.configured(id)
    const run = await api.newRun(id)
    await makeHandRunner(api).plan(run)
    return run
  }
  const comments = async (run: string) =>
    (await api.request('GET', `runs/${run}/comments`)).many().map(({ attributes }) => attributes['body'])

  const bodies: [name: string, body: string | undefined, comment: string[]][] = [
    ['no body', undefined, []],
    ['an empty body', '', []],
    ['an empty object', '{}', []],
    ['a comment', '{"comment":"because"}', ['because']],
    ['a document', '{"data":{"type":"runs","attributes":{"comment":"because"}}}', ['because']],
  ]
  const types: Record<string, string>[] = [{}, { 'content-type': 'application/json' }, { 'content-type': 'application/vnd.api+json' }]

  describe.each(bodies)('R026: with %s', (_name, body, comment) => {
    it.each(['discard', 'cancel', 'apply'])('%s answers 202, whatever the content type, and keeps the comment', async (action) => {
      for (const headers of types) {
        const run = await waiting()
        // A planned run is canceled once it was confirmed.
        if (action === 'cancel') await api.act(run, 'apply')
        const response = await api.app.request(`${api.publicUrl}/api/v2/runs/${run}/actions/${action}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${api.admin.token}`, ...headers },
          // Bytes bring no content type of their own.
          ...(body === undefined ? {} : { body: Buffer.from(body) }),
        })
        expect([response.status, await response.text()], JSON.stringify(headers)).toEqual([202, ''])
        expect(await comments(run)).toEqual(comment)
      }
    })
  })

  it('R028: what says that it is confirmable is accepted, time after time', async () => {
    const { id } = await api.newWorkspace()
    await api.configured(id)
    const hand = makeHandRunner(api)
    for (let times = 0; times < 20; times++) {
      const run = await api.newRun(id)
      await hand.begin(run, 'plan')
      let isConfirmable = false
      const ask = async (): Promise<void> => {
        const { actions } = (await api.run(run)).attributes
        isConfirmable = (actions as Record<string, boolean>)['is-confirmable'] === true
      }
      const finished = hand.finishPlan(run)
      while (!isConfirmable) await ask()
      expect((await api.act(run, 'apply')).status).toBe(202)
      await finished
      await hand.apply(run)
    }
  })
})

describe.skipIf(isAbsent('terraform'))('a run', () => {
  it.each([true, false])('R030: with nothing to change ends with its plan (auto-apply: %s)', async (autoApply) => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf('resource "terraform_data" "one" {}\n')
    await api.runIn(await api.newRun(workspaceId, { 'auto-apply': true }), 'applied')
    const again = await api.newRun(workspaceId, { 'auto-apply': autoApply })
    const finished = await api.runIn(again, 'planned_and_finished')
    expect(finished.attributes).toMatchObject({ 'has-changes': false, actions: { 'is-confirmable': false } })
    expect((await api.request('GET', `runs/${again}?include=apply`)).included[0]?.attributes['status']).toBe('unreachable')
    expect(await api.lockOf(workspaceId)).toBeUndefined()
  })

  it('R030: with nothing but a changed output is applied', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf('output "word" {\n  value = "one"\n}\n')
    await api.runIn(await api.newRun(workspaceId, { 'auto-apply': true }), 'applied')
    await api.configured(workspaceId, { 'main.tf': 'output "word" {\n  value = "two"\n}\n' })
    const changed = await api.newRun(workspaceId)
    expect((await api.runIn(changed, 'planned')).attributes).toMatchObject({ 'has-changes': true, actions: { 'is-confirmable': true } })
    await api.act(changed, 'apply')
    await api.runIn(changed, 'applied')
    expect(await outputsOf(api, workspaceId)).toEqual({ word: 'two' })
  })

  it('R031: that destroys plans to destroy everything, and does; where that is not allowed it is a 422', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf(two)
    await api.runIn(await api.newRun(workspaceId, { 'auto-apply': true }), 'applied')
    const run = await api.newRun(workspaceId, { 'is-destroy': true })
    await api.runIn(run, 'planned')
    const [plan] = (await api.request('GET', `runs/${run}?include=plan`)).included
    expect(plan?.attributes).toMatchObject({ 'resource-additions': 0, 'resource-destructions': 2 })
    await api.act(run, 'apply')
    await api.runIn(run, 'applied')
    expect(await api.resourcesOf(workspaceId)).toEqual([])
    expect((await api.request('GET', `workspaces/${workspaceId}`)).one().attributes['resource-count']).toBe(0)

    await api.request('PATCH', `workspaces/${workspaceId}`, { body: documentOf('workspaces', { 'allow-destroy-plan': false }) })
    expect((await api.postRun(workspaceId, { 'is-destroy': true })).status).toBe(422)
  })

  it('R032: applies the plan that was shown, not another one', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf(
      'resource "terraform_data" "a" {\n  input = plantimestamp()\n}\noutput "at" {\n  value = terraform_data.a.input\n}\n',
    )
    const run = await api.newRun(workspaceId)
    const planned = await api.runIn(run, 'planned')
    const plan = planned.relationships['plan']?.data as { id: string }
    const { headers } = await api.request('GET', `plans/${plan.id}/json-output`)
    const shown = JSON.parse((await api.request('GET', String(headers.get('location')), { token: '' })).text) as {
      planned_values: { outputs: { at: { value: string } } }
    }
    await api.act(run, 'apply')
    await api.runIn(run, 'applied')
    expect(await outputsOf(api, workspaceId)).toEqual({ at: shown.planned_values.outputs.at.value })
  })

  it('R032: applies nothing when the stored plan was tampered with', async () => {
    const api = await makeControllers()
    const first = api.startController()
    const workspaceId = await api.workspaceOf(two)
    const run = await api.newRun(workspaceId)
    await api.runIn(run, 'planned')
    // The runner of the plan has it still; a new one gets the stored one.
    await first.stop()
    const [plan] = (await api.db.select().from(api.db.t.phases)).filter(({ kind }) => kind === 'plan')
    const key = plan?.planBlobKey ?? ''
    const file = await open(join(api.blobDirectory, key.slice(0, 2), key.slice(2, 4), key), 'r+')
    const { size } = await file.stat()
    const byte = Buffer.alloc(1)
    await file.read(byte, 0, 1, size - 1)
    await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, size - 1)
    await file.close()
    api.startController()
    await api.act(run, 'apply')
    await api.runIn(run, 'errored')
    expect(await api.logOf(run, 'apply')).toContain('A stored file is damaged')
    expect(await api.resourcesOf(workspaceId)).toEqual([])
    expect(await api.lockOf(workspaceId)).toBeUndefined()
  })

  it('R033: that waits keeps others from its state; a saved plan that another state has overtaken is refused', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf(two)
    const saved = await api.newRun(workspaceId, { 'save-plan': true })
    await api.runIn(saved, 'planned_and_saved')
    const run = await api.newRun(workspaceId)
    await api.runIn(run, 'planned')
    const push = () => {
      const state = JSON.stringify({ version: 4, terraform_version: '1.11.4', serial: 1, lineage: 'l', outputs: {}, resources: [] })
      return api.request('POST', `workspaces/${workspaceId}/state-versions`, {
        body: documentOf('state-versions', { serial: 1, lineage: 'l', md5: md5(state), state: Buffer.from(state).toString('base64') }),
      })
    }
    expect((await push()).status).toBe(409)
    expect((await api.act(run, 'discard')).status).toBe(202)

    expect((await api.request('POST', `workspaces/${workspaceId}/actions/lock`)).status).toBe(200)
    expect((await push()).status).toBe(201)
    expect((await api.request('POST', `workspaces/${workspaceId}/actions/unlock`)).status).toBe(200)
    const { status, errors } = await api.act(saved, 'apply')
    expect([status, errors[0]?.detail]).toEqual([409, expect.stringContaining('The state of the workspace has changed')])
    expect(await api.resourcesOf(workspaceId)).toEqual([])
  })
})
