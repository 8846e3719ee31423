import { stripVTControlCharacters } from 'node:util'
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { type Controllers, makeControllers } from '../../../test/harness/controllers.ts'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'

const one = 'resource "terraform_data" "one" {\n  input = "hello"\n}\noutput "greeting" {\n  value = terraform_data.one.output\n}\n'
const text = { headers: { 'terraform-version': '1.11.4' } }

const jobsOf = async ({ db }: Controllers, runId: string) =>
  (await db.select().from(db.t.runnerJobs)).filter((job) => job.runId === runId).map(({ phase, status }) => `${phase} ${status}`)

describe.skipIf(isAbsent('terraform'))('a run', { timeout: 90_000 }, () => {
  it('is planned, confirmed and applied, and leaves state, documents, logs and nothing else', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf(one)
    const id = await api.newRun(workspaceId)
    const planned = await api.runIn(id, 'planned')
    expect(planned.attributes).toMatchObject({ 'has-changes': true, actions: { 'is-confirmable': true } })
    const planLinkage = planned.relationships['plan']?.data as { id: string }
    const plan = (await api.request('GET', `plans/${planLinkage.id}`)).one()
    expect(plan.attributes).toMatchObject({
      status: 'finished',
      'resource-additions': 1,
      'resource-changes': 0,
      'resource-destructions': 0,
    })
    const output = await api.request('GET', `plans/${plan.id}/json-output`)
    const document = await api.request('GET', String(output.headers.get('location')), { token: '' })
    expect(JSON.parse(document.text)).toMatchObject({ terraform_version: '1.11.4', planned_values: { outputs: { greeting: {} } } })
    const redacted = await api.request('GET', `plans/${plan.id}/json-output-redacted`)
    const merged = await api.request('GET', String(redacted.headers.get('location')), { token: '' })
    expect(JSON.parse(merged.text)).toMatchObject({ provider_format_version: '1.0', provider_schemas: {}, planned_values: {} })

    await api.act(id, 'apply')
    const applied = await api.runIn(id, 'applied')
    expect(await api.resourcesOf(workspaceId)).toEqual(['terraform_data.one'])
    const state = (await api.request('GET', `workspaces/${workspaceId}/current-state-version?include=outputs`)).one()
    expect(state.relationships['run']?.data).toMatchObject({ id })
    expect(state.attributes).toMatchObject({ 'resources-processed': true })
    const applyLinkage = applied.relationships['apply']?.data as { id: string }
    const apply = (await api.request('GET', `applies/${applyLinkage.id}`)).one()
    expect(apply.attributes).toMatchObject({ status: 'finished', 'resource-additions': 1 })
    expect(apply.relationships['state-versions']?.data).toContainEqual({ type: 'state-versions', id: state.id })
    for (const phase of ['plan', 'apply'] as const) {
      const log = await api.logOf(id, phase)
      expect(log.startsWith('\u0002Terraform v1.11.4\non linux_amd64\n')).toBe(true)
      expect(log.endsWith('\u0003')).toBe(true)
      expect(log).toContain(phase === 'plan' ? '1 to add' : 'Apply complete! Resources: 1 added')
    }
    expect(await api.lockOf(workspaceId)).toBeUndefined()
    expect((await jobsOf(api, id)).toSorted()).toEqual(['apply done', 'plan done'])
    await waitFor(async () => (await api.runDirectories()).length === 0, { what: 'the directory of the run to be removed' })

    const again = await api.newRun(workspaceId)
    await api.runIn(again, 'planned_and_finished')
    expect((await api.run(again)).relationships['input-state-version']?.data).toMatchObject({ id: state.id })
  })

  it('with errors in its configuration ends with the words of terraform in its log, in either format', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf('resource "terraform_data" "one" {\n  input = var.missing\n}\n')
    const asJson = await api.newRun(workspaceId)
    await api.runIn(asJson, 'errored')
    const line = (await api.logOf(asJson, 'plan')).split('\n').find((each) => each.includes('"type":"diagnostic"'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ diagnostic: { severity: 'error', summary: 'Reference to undeclared input variable' } })
    const asText = (await api.postRun(workspaceId, {}, text)).one().id
    await api.runIn(asText, 'errored')
    const log = stripVTControlCharacters(await api.logOf(asText, 'plan'))
    expect(log).toContain('Error: Reference to undeclared input variable')
    expect(log.endsWith('\u0003')).toBe(true)
    expect(await api.lockOf(workspaceId)).toBeUndefined()
  })

  it('that fails in the apply keeps the state so far', async () => {
    const api = await makeControllers()
    api.startController()
    const failing = `${one}resource "terraform_data" "two" {\n  depends_on = [terraform_data.one]\n  provisioner "local-exec" {\n    command = "echo no; exit 7"\n  }\n}\n`
    const workspaceId = await api.workspaceOf(failing)
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    const run = await api.runIn(id, 'errored')
    expect(run.attributes['status-timestamps']).toHaveProperty('applying-at')
    expect(await api.logOf(id, 'apply')).toContain('exit status 7')
    expect(await api.resourcesOf(workspaceId)).toEqual(['terraform_data.one', 'terraform_data.two (tainted)'])
    expect(await api.lockOf(workspaceId)).toBeUndefined()
  })

  it('of a version that cannot be had says so', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf(one)
    const id = await api.newRun(workspaceId, { 'plan-only': true, 'terraform-version': '1.2.3' })
    await api.runIn(id, 'errored')
    const log = await api.logOf(id, 'plan')
    expect(log).toContain('Run could not be started')
    expect(log).toContain('1.2.3')
    expect((await api.run(id)).attributes['status-timestamps']).not.toHaveProperty('planning-at')
  })

  it('of an OpenTofu that is not installed says what to do', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf(one, { engine: 'tofu' })
    const id = await api.newRun(workspaceId, { 'plan-only': true, 'terraform-version': '1.6.1' })
    expect((await api.runIn(id, 'errored')).attributes).toMatchObject({ engine: 'tofu', 'terraform-version': '1.6.1' })
    const log = await api.logOf(id, 'plan')
    expect(log).toContain('OpenTofu 1.6.1 is not installed')
    expect(log).toContain('terrane engine --add FILE')
  })

  it('applies an empty plan when asked to, then destroys everything', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf(one)
    await api.runIn(await api.newRun(workspaceId, { 'auto-apply': true }), 'applied')
    const empty = await api.newRun(workspaceId, { 'allow-empty-apply': true })
    expect((await api.runIn(empty, 'applied')).attributes['has-changes']).toBe(false)
    await api.runIn(await api.newRun(workspaceId, { 'is-destroy': true, 'auto-apply': true }), 'applied')
    expect(await api.resourcesOf(workspaceId)).toEqual([])
  })

  it('uses the variables of its workspace as they were, and its own before them', async () => {
    const api = await makeControllers()
    api.startController()
    const workspaceId = await api.workspaceOf(
      'variable "a" {}\nvariable "b" {}\nvariable "secret" {}\noutput "all" {\n  value = "${var.a} ${var.b} ${var.secret}"\n}\n',
    )
    for (const [key, value, sensitive] of [
      ['a', 'workspace', false],
      ['b', 'workspace', false],
      ['secret', 'canary-4711', true],
    ]) {
      const body = { data: { type: 'vars', attributes: { key, value, category: 'terraform', sensitive } } }
      expect((await api.request('POST', `workspaces/${workspaceId}/vars`, { body })).status).toBe(201)
    }
    const id = await api.newRun(workspaceId, { variables: [{ key: 'b', value: '"run"' }], 'auto-apply': true })
    await api.runIn(id, 'applied')
    expect(await api.logOf(id, 'apply')).toContain('workspace run ')
    for (const phase of ['plan', 'apply'] as const) expect(await api.logOf(id, phase)).not.toContain('canary-4711')
    expect(api.logged()).not.toContain('canary-4711')
  })

  it('applies a saved plan, and refuses one whose state has changed', async () => {
    const api = await makeControllers()
    const allocator = api.startController()
    const workspaceId = await api.workspaceOf(one)
    const saved = await api.newRun(workspaceId, { 'save-plan': true })
    await api.runIn(saved, 'planned_and_saved')
    await api.act(saved, 'apply')
    await api.runIn(saved, 'applied')
    expect(await api.resourcesOf(workspaceId)).toEqual(['terraform_data.one'])

    const stale = await api.newRun(workspaceId, { 'save-plan': true, 'is-destroy': true })
    await api.runIn(stale, 'planned_and_saved')
    await api.request('POST', `workspaces/${workspaceId}/actions/lock`)
    const current = (await api.request('GET', `workspaces/${workspaceId}/current-state-version`)).one()
    const rollback = {
      data: { type: 'state-versions', relationships: { 'rollback-state-version': { data: { type: 'state-versions', id: current.id } } } },
    }
    expect((await api.request('PATCH', `workspaces/${workspaceId}/state-versions`, { body: rollback })).status).toBeLessThan(300)
    await api.request('POST', `workspaces/${workspaceId}/actions/unlock`)
    const { status, errors } = await api.act(stale, 'apply')
    expect([status, errors[0]?.detail]).toEqual([409, expect.stringContaining('The state of the workspace has changed')])
    // What was confirmed by an older server is refused by the apply itself.
    const madeOn = (inputStateVersionId: string) =>
      api.db.transaction(async (tx) => void (await tx.update(tx.t.runs).set({ inputStateVersionId }).where(eq(tx.t.runs.id, stale))))
    await madeOn((await api.request('GET', `workspaces/${workspaceId}/current-state-version`)).one().id)
    await allocator.stop()
    expect((await api.act(stale, 'apply')).status).toBe(202)
    await madeOn(current.id)
    api.startController()
    await api.runIn(stale, 'errored')
    expect(await api.logOf(stale, 'apply')).toContain('Saved plan is stale')
    expect(await api.resourcesOf(workspaceId)).toEqual(['terraform_data.one'])
  })
})
