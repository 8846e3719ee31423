import { describe, expect, it } from 'vitest'
import { comparableOutput } from '../harness/comparable-output.ts'
import { makeDirectory, makeProject } from '../harness/project.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const server = serverOfFile()

const chain = {
  'main.tf': `
resource "terraform_data" "first" {
  input = "größe"
}
resource "terraform_data" "second" {
  input = terraform_data.first.output
  provisioner "local-exec" {
    command = "echo one; echo two"
  }
}
output "second" { value = terraform_data.second.output }
`,
}

describe('backend "remote"', () => {
  it('plans, declines, applies, reads and destroys, with logs in text', async () => {
    const project = await makeProject(server(), { name: 'classic', files: chain, by: 'remote' })
    const local = await makeDirectory(chain)
    const both = async (args: string[], input = ''): Promise<void> => {
      const [there, here] = [await project.terraform(args, { input }), await terraform(local, args, { input })]
      expect.soft(comparableOutput(there.stdout), `stdout of ${args.join(' ')}`).toEqual(comparableOutput(here.stdout))
      expect(there.code, `exit code of ${args.join(' ')}\n${there.stdout}\n${there.stderr}`).toBe(here.code)
    }
    expect((await project.terraform(['init'])).code).toBe(0)
    expect((await terraform(local, ['init'])).code).toBe(0)
    await both(['plan'])
    expect(await project.terraform(['apply'], { input: 'no\n' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Apply discarded'),
    })
    await both(['apply'], 'yes\n')
    for (const args of [['output'], ['state', 'list'], ['plan', '-detailed-exitcode']]) await both(args)
    await both(['destroy', '-auto-approve'])
    expect((await project.runs()).map(({ attributes }) => attributes['status'])).toEqual([
      'applied',
      'planned_and_finished',
      'applied',
      'discarded',
      'planned_and_finished',
    ])
    expect(await project.resources()).toEqual([])
  })
})

describe('execution mode local', () => {
  it('R020: keeps the state of runs on the own machine, one at a time; -lock-timeout waits for the other', async () => {
    const project = await makeProject(server(), {
      name: 'own-machine',
      files: {
        'main.tf': `
resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "while [ ! -e go ]; do sleep 0.05; done"
  }
}
output "id" { value = terraform_data.slow.id }
`,
      },
    })
    await project.terraform(['init'])
    const { id } = await project.workspace()
    await server().api.call('PATCH', `workspaces/${id}`, { type: 'workspaces', attributes: { 'execution-mode': 'local' } })

    const first = await project.start(['apply', '-auto-approve', '-no-color'])
    await first.sees('Provisioning with')
    expect(await project.terraform(['apply', '-auto-approve', '-no-color'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('workspace already locked'),
    })
    const patient = await project.start(['plan', '-no-color', '-lock-timeout=60s'])
    await project.write({ go: '' })
    expect((await first.ended).code).toBe(0)
    expect(await patient.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes') })

    expect(await project.runs()).toEqual([])
    expect(await project.resources()).toEqual([{ address: 'terraform_data.slow', isTainted: false }])
    expect((await project.terraform(['output', '-raw', 'id'])).stdout).toMatch(/^[0-9a-f-]{36}$/)
    expect((await project.terraform(['state', 'rm', 'terraform_data.slow'])).code).toBe(0)
    expect(await project.resources()).toEqual([])
    expect((await project.workspace()).attributes['locked']).toBe(false)
  })

  it('R020: lets an administrator force a lock that nobody will give back', async () => {
    const project = await makeProject(server(), { name: 'stranded', files: chain })
    await project.terraform(['init'])
    const { id } = await project.workspace()
    await server().api.call('PATCH', `workspaces/${id}`, { type: 'workspaces', attributes: { 'execution-mode': 'local' } })
    await server().api.call('POST', `workspaces/${id}/actions/lock`)
    expect((await project.terraform(['apply', '-auto-approve'])).code).toBe(1)
    expect((await project.terraform(['force-unlock', '-force', 'e2e/stranded'])).code).toBe(0)
    expect((await project.terraform(['apply', '-auto-approve'])).code).toBe(0)
  })
})
