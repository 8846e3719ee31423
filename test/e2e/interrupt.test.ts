import { describe, expect, it } from 'vitest'
import { makeProject, type Project } from '../harness/project.ts'
import { terraformOnTerminal } from '../harness/pty.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const server = serverOfFile()

const stepsOf = (...steps: number[]) => steps.map((step) => ({ address: `terraform_data.step${step}`, isTainted: false }))

/** The run ended as canceled, what was finished is in the state, and a second apply makes the rest. */
const expectCanceledAndRepairable = async (project: Project): Promise<void> => {
  const [run] = await project.runs()
  const canceled = await project.runIn(run?.id ?? '', 'canceled')
  expect(canceled.attributes['canceled-at']).toEqual(expect.any(String))
  expect((await project.workspace()).attributes['locked']).toBe(false)
  expect(await project.resources()).toEqual([...stepsOf(0, 1), { address: 'terraform_data.step2', isTainted: true }])
}

describe('Ctrl-C during an apply', () => {
  it('with -auto-approve cancels the run at once, keeps what is finished and frees the workspace', async () => {
    const effects = await makeSideEffects()
    const project = await makeProject(server(), {
      name: 'interrupted',
      files: { 'main.tf': effects.configuration({ steps: 4, gates: [2] }) },
    })
    await project.terraform(['init'])
    const apply = await project.start(['apply', '-auto-approve', '-no-color'])
    await effects.begun(2)
    await apply.sees('terraform_data.step2: Provisioning')
    apply.signal('SIGINT')
    await apply.ended
    await expectCanceledAndRepairable(project)
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 1 })

    await effects.open(2)
    const { code, stdout } = await project.terraform(['apply', '-auto-approve', '-no-color'])
    expect(code).toBe(0)
    expect(stdout).toContain('Apply complete! Resources: 2 added, 0 changed, 1 destroyed.')
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 2, 3: 1 })
  })

  it('on a terminal asks first: "no" lets it go on, "yes" cancels', async () => {
    const effects = await makeSideEffects()
    const project = await makeProject(server(), {
      name: 'terminal',
      files: { 'main.tf': effects.configuration({ steps: 4, gates: [1, 2] }) },
    })
    await project.terraform(['init'])
    const terminal = await terraformOnTerminal(project.directory, ['apply'], { cliConfigFile: server().cliConfigFile })
    await terminal.shows('Enter a value:')
    terminal.type('yes\r')
    await effects.begun(1)
    await terminal.shows('step1: Provisioning')
    terminal.type('\u0003')
    await terminal.shows('Do you want to cancel the remote operation?')
    terminal.type('no\r')
    expect(await terminal.ended).toBe(0)
    await effects.open(1)
    await effects.begun(2)

    // The run went on without its CLI; a cancel through the API is the same as one by the CLI.
    const [run] = await project.runs()
    expect(run?.attributes['status']).toBe('applying')
    await server().api.call('POST', `runs/${run?.id}/actions/cancel`, undefined)
    await expectCanceledAndRepairable(project)
  })

  it('on a terminal, answered with "yes", cancels the run', async () => {
    const effects = await makeSideEffects()
    const project = await makeProject(server(), {
      name: 'terminal-yes',
      files: { 'main.tf': effects.configuration({ steps: 4, gates: [2] }) },
    })
    await project.terraform(['init'])
    const terminal = await terraformOnTerminal(project.directory, ['apply'], { cliConfigFile: server().cliConfigFile })
    await terminal.shows('Enter a value:')
    terminal.type('yes\r')
    await effects.begun(2)
    await terminal.shows('step2: Provisioning')
    terminal.type('\u0003')
    await terminal.shows('Do you want to cancel the remote operation?')
    terminal.type('yes\r')
    await terminal.ended
    await expectCanceledAndRepairable(project)
  })

  it('R025: at the question ends the CLI and leaves the run to be discarded', async () => {
    const project = await makeProject(server(), { name: 'question', files: { 'main.tf': 'resource "terraform_data" "a" {}' } })
    await project.terraform(['init'])
    const terminal = await terraformOnTerminal(project.directory, ['apply'], { cliConfigFile: server().cliConfigFile })
    await terminal.shows('Enter a value:')
    terminal.type('\u0003')
    await terminal.ended
    const [run] = await project.runs()
    expect(run?.attributes['status']).toBe('planned')

    // Somebody else finds the way blocked until then, and is told why.
    const next = await project.start(['apply', '-auto-approve', '-no-color'])
    await next.sees('Waiting for 1 run(s) to finish before being queued...')
    await server().api.call('POST', `runs/${run?.id}/actions/discard`)
    expect(await next.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Apply complete! Resources: 1 added') })
  })
})
