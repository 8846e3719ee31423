import { describe, expect, it } from 'vitest'
import type { Resource } from '../harness/api-client.ts'
import { listProcesses } from '../harness/processes.ts'
import { makeProject } from '../harness/project.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { startSlowState } from '../harness/slow-state.ts'
import { serverOfFile } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'

const server = serverOfFile({ args: ['--force-cancel-cool-off', '1'] })

const act = (run: Resource, action: string) => server().api.raw('POST', `runs/${run.id}/actions/${action}`)
const actionsOf = (run: Resource) => run.attributes['actions'] as Record<string, boolean>
const statusesOf = (runs: Resource[]) => runs.map(({ attributes }) => attributes['status'])

describe('the queue of a workspace', () => {
  it('lets a second apply wait and says why, plans beside it, and cancels what waits', async () => {
    const effects = await makeSideEffects()
    const project = await makeProject(server(), { name: 'busy', files: { 'main.tf': effects.configuration({ steps: 2, gates: [0] }) } })
    await project.terraform(['init'])
    const first = await project.start(['apply', '-auto-approve', '-no-color'])
    await effects.begun(0)
    const second = await project.start(['apply', '-auto-approve', '-no-color'])
    await second.sees('Waiting for 1 run(s) to finish before being queued...')
    const third = await project.uploadAndRun({ 'main.tf': 'resource "terraform_data" "other" {}' })

    const plan = await project.terraform(['plan', '-no-color'])
    expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('Plan: 2 to add') })
    expect(statusesOf(await project.runs())).toEqual(['planned_and_finished', 'pending', 'pending', 'applying'])
    expect((await project.workspace()).attributes['locked']).toBe(true)
    const locked = await server().api.raw('POST', `workspaces/${(await project.workspace()).id}/actions/lock`)
    expect(locked.status).toBe(409)

    // What waits can be canceled at once, with nothing in the body.
    expect(actionsOf(await project.run(third.id))).toMatchObject({ 'is-cancelable': true })
    expect((await act(third, 'cancel')).status).toBe(202)
    await project.runIn(third.id, 'canceled')

    await effects.open(0)
    expect((await first.ended).code).toBe(0)
    // The second planned on the state of the first.
    expect(await second.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes.') })
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1 })
    expect((await project.workspace()).attributes['locked']).toBe(false)
  })

  it('waits for a lock held by hand', async () => {
    const project = await makeProject(server(), { name: 'locked', files: { 'main.tf': 'resource "terraform_data" "a" {}' } })
    await project.terraform(['init'])
    const { id } = await project.workspace()
    await server().api.call('POST', `workspaces/${id}/actions/lock`)
    const apply = await project.start(['apply', '-auto-approve', '-no-color'])
    await apply.sees('Waiting for the manually locked workspace to be unlocked...')
    await server().api.call('POST', `workspaces/${id}/actions/unlock`)
    expect(await apply.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Apply complete! Resources: 1 added') })
  })

  it('goes on with the next run when one is discarded', async () => {
    const project = await makeProject(server(), { name: 'discard', files: {} })
    await project.terraform(['init'])
    const configuration = { 'main.tf': 'resource "terraform_data" "a" {}' }
    const first = await project.runIn((await project.uploadAndRun(configuration)).id, 'planned')
    expect(actionsOf(first)).toMatchObject({ 'is-confirmable': true, 'is-discardable': true })
    const second = await project.uploadAndRun(configuration, { 'auto-apply': true })
    expect((await project.run(second.id)).attributes['status']).toBe('pending')
    expect((await act(first, 'discard')).status).toBe(202)
    expect((await act(first, 'discard')).status).toBe(409)
    await project.runIn(second.id, 'applied')
  })
})

describe('a cancel', () => {
  it('that terraform ignores can be forced: every process of the run is gone, the finished resources are kept', async () => {
    const slow = await startSlowState()
    const project = await makeProject(server(), { name: 'stubborn', files: {} })
    await project.terraform(['init'])
    const configuration = { 'main.tf': `resource "terraform_data" "before" {}\n${slow.configuration(['terraform_data.before'])}` }
    const run = await project.uploadAndRun(configuration, { 'auto-apply': true })
    await waitFor(() => slow.requests() === 1, { timeoutMs: 30_000, what: 'the apply to read its data source' })
    expect((await act(run, 'force-cancel')).status).toBe(409)
    expect((await act(run, 'cancel')).status).toBe(202)
    expect((await act(run, 'cancel')).status).toBe(409)
    const canceling = await project.run(run.id)
    expect(canceling.attributes['status']).toBe('applying')
    expect(new Date(String(canceling.attributes['force-cancel-available-at'])).getTime()).toBeGreaterThan(0)
    await waitFor(async () => actionsOf(await project.run(run.id))['is-force-cancelable'], { timeoutMs: 5000, what: 'the cool-off' })
    expect((await act(run, 'force-cancel')).status).toBe(202)
    const canceled = await project.runIn(run.id, 'canceled')
    expect(canceled.attributes['status-timestamps']).toMatchObject({ 'force-canceled-at': expect.any(String) })
    await waitFor(async () => !(await listProcesses()).some(({ cwd }) => cwd.startsWith(`${server().workDir}/${run.id}`)), {
      timeoutMs: 10_000,
      what: 'the processes of the run to be gone',
    })
    expect(await project.resources()).toEqual([{ address: 'terraform_data.before', isTainted: false }])
    expect((await project.workspace()).attributes['locked']).toBe(false)
  })

  it('of a plan ends it', async () => {
    const project = await makeProject(server(), { name: 'planning', files: {} })
    await project.terraform(['init'])
    const slow = await startSlowState()
    const run = await project.uploadAndRun({ 'main.tf': slow.configuration() })
    await waitFor(() => slow.requests() === 1, { timeoutMs: 30_000, what: 'the plan to read its data source' })
    expect((await act(run, 'cancel')).status).toBe(202)
    slow.open()
    await project.runIn(run.id, 'canceled')
    expect((await project.workspace()).attributes['locked']).toBe(false)
  })
})
