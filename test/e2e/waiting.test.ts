import { describe, expect, it } from 'vitest'
import { created, planned, prologue, workspace } from '../harness/cli-steps.ts'
import { makeProject } from '../harness/project.ts'
import { terraformOnTerminal } from '../harness/pty.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { startSlowState } from '../harness/slow-state.ts'
import { waitFor } from '../harness/wait-for.ts'
import { type Step, expectWire, wireLines } from '../harness/wire.ts'

const server = recordedServerOfFile()

const one = { 'main.tf': 'resource "terraform_data" "a" {}' }

const newProject = async (name: string, files: Record<string, string> = one) => {
  const project = await makeProject(server(), { name, files })
  expect((await project.terraform(['init'])).code).toBe(0)
  server().taken()
  return project
}

const applying: Step[] = [
  'GET runs/:id?include=task_stages 200',
  '+ GET runs/:id 200',
  'GET applies/:id 200',
  ['GET log 200', 'GET applies/:id 200'],
]

describe('a run that waits', () => {
  it('SEQ-17: for the runs before it is told how many there are', async () => {
    const effects = await makeSideEffects()
    const project = await newProject('queue', { 'main.tf': effects.configuration({ steps: 1, gates: [0] }) })
    const first = await project.uploadAndRun({ 'main.tf': effects.configuration({ steps: 1, gates: [0] }) }, { 'auto-apply': true })
    await effects.begun(0)
    const second = await project.uploadAndRun(one)
    server().taken()
    const third = await project.start(['apply', '-auto-approve', '-no-color'])
    await third.sees('Waiting for 2 run(s) to finish before being queued...')
    const why: Step[] = [workspace, 'GET runs/:id 200', 'GET workspaces/:id/runs 200']
    expectWire(server().taken(), [...prologue, workspace, ...created, '+ GET runs/:id 200', ...why, '? GET runs/:id 200'])
    const { data: queue } = await server().api.call('GET', 'organizations/e2e/runs/queue')
    const [{ id: thirdId } = { id: '' }] = await project.runs()
    expect(queue.map((run) => [run.id, run.attributes['position-in-queue']])).toEqual([
      [first.id, 0],
      [second.id, 1],
      [thirdId, 2],
    ])
    const { data: capacity } = await server().api.call('GET', 'organizations/e2e/capacity')
    expect(capacity.attributes).toMatchObject({ pending: 2, running: 1 })
    await server().api.call('POST', `runs/${second.id}/actions/cancel`)
    await effects.open(0)
    await project.runIn(first.id, 'applied')
    expect(await third.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes.') })
    expectWire(server().taken(), [...planned])
  })

  it('SEQ-17: for the lock of a person is told so', async () => {
    const project = await newProject('locked')
    const { id } = await project.workspace()
    await server().api.call('POST', `workspaces/${id}/actions/lock`)
    const cli = await project.start(['apply', '-auto-approve', '-no-color'])
    await cli.sees('Waiting for the manually locked workspace to be unlocked...')
    expectWire(server().taken(), [
      ...prologue,
      workspace,
      ...created,
      '+ GET runs/:id 200',
      workspace,
      // The current run of the workspace, and later the own one again.
      '+ GET runs/:id 200',
    ])
    await server().api.call('POST', `workspaces/${id}/actions/unlock`)
    expect((await cli.ended).code).toBe(0)
  })
})

describe('a cancel', () => {
  it('SEQ-18: of an apply with -auto-approve is one call, and the CLI ends', async () => {
    const effects = await makeSideEffects()
    const project = await newProject('apply-ended', { 'main.tf': effects.configuration({ steps: 2, gates: [1] }) })
    const cli = await project.start(['apply', '-auto-approve', '-no-color'])
    await effects.begun(1)
    await cli.sees('terraform_data.step1: Provisioning')
    cli.signal('SIGINT')
    expect((await cli.ended).stdout).toContain('The remote operation was successfully cancelled.')
    expectWire(server().taken(), [
      ...prologue,
      workspace,
      ...created,
      ...planned,
      ...applying,
      'GET runs/:id 200',
      'POST runs/:id/actions/cancel 202',
      // Whatever the stream of the log was at.
      '? GET log 200',
      '? GET applies/:id 200',
      '? GET runs/:id 200',
    ])
    const [run] = await project.runs()
    await project.runIn(run?.id ?? '', 'canceled')
  })

  it('SEQ-18: Ctrl-C in a plan asks nothing of the server, and the run goes on', async () => {
    const slow = await startSlowState()
    const project = await newProject('plan-left', { 'main.tf': slow.configuration() })
    const cli = await project.start(['plan', '-no-color'])
    await waitFor(() => slow.requests() === 1, { timeoutMs: 60_000, what: 'the plan to read its data source' })
    cli.signal('SIGINT')
    expect((await cli.ended).code).toBe(1)
    expect(wireLines(server().taken()).filter((line) => line.includes('/actions/'))).toEqual([])
    const [run] = await project.runs()
    expect(run?.attributes['status']).toBe('planning')
    slow.open()
    await project.runIn(run?.id ?? '', 'planned_and_finished')
  })

  it('SEQ-18: Ctrl-C while an apply plans asks first, and cancels the plan', async () => {
    const slow = await startSlowState()
    const project = await newProject('plan-of-apply', { 'main.tf': slow.configuration() })
    const terminal = await terraformOnTerminal(project.directory, ['apply'], {
      cliConfigFile: server().cliConfigFile,
      env: { SSL_CERT_FILE: server().caFile ?? '' },
    })
    await waitFor(() => slow.requests() === 1, { timeoutMs: 60_000, what: 'the plan to read its data source' })
    terminal.type('\u0003')
    await terminal.shows('Do you want to cancel the remote operation?')
    terminal.type('yes\r')
    await terminal.ended
    expect(wireLines(server().taken()).filter((line) => line.includes('/actions/'))).toEqual(['POST runs/:id/actions/cancel 202'])
    slow.open()
    await project.runIn((await project.runs())[0]?.id ?? '', 'canceled')
  })

  it('CHK-08: by another client ends the plan that a CLI watches, and the CLI', async () => {
    const slow = await startSlowState()
    const project = await newProject('watched', { 'main.tf': slow.configuration() })
    const cli = await project.start(['plan', '-no-color'])
    await waitFor(() => slow.requests() === 1, { timeoutMs: 60_000, what: 'the plan to read its data source' })
    const [run] = await project.runs()
    await server().api.call('POST', `runs/${run?.id}/actions/cancel`)
    slow.open()
    expect((await cli.ended).code).toBe(1)
    const canceled = await project.run(run?.id ?? '')
    expect(canceled.attributes['status']).toBe('canceled')
    expect((await project.log(canceled, 'plan')).at(-1)).toBe('\u0003')
    const asked = server().taken()
    expectWire(
      asked.filter(({ url }) => !url.startsWith('/_objects/log/')),
      [
        ...prologue,
        workspace,
        ...created,
        '+ GET runs/:id 200',
        '+ GET plans/:id 200',
        'GET runs/:id?include=workspace,plan 200',
        'GET runs/:id 200',
        'GET runs/:id 200',
      ],
    )
  })

  it('SEQ-18: -lock-timeout gives up a run that has not begun', async () => {
    const project = await newProject('impatient')
    const { id } = await project.workspace()
    await server().api.call('POST', `workspaces/${id}/actions/lock`)
    const { stdout } = await project.terraform(['apply', '-no-color', '-lock-timeout=3s'])
    expect(stdout).toContain('Lock timeout exceeded')
    const [run] = await project.runs()
    await project.runIn(run?.id ?? '', 'canceled')
    expect(wireLines(server().taken()).filter((line) => line.includes('/actions/'))).toEqual(['POST runs/:id/actions/cancel 202'])
  })
})
