import { describe, expect, it } from 'vitest'
import { prologue, workspace } from '../harness/cli-steps.ts'
import { comparableOutput } from '../harness/comparable-output.ts'
import { makeDirectory, makeProject } from '../harness/project.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { type Step, bodyOf, expectWire } from '../harness/wire.ts'

const server = recordedServerOfFile()

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

  it('SEQ-27: asks for less than a cloud block does, and approves every apply itself', async () => {
    const project = await makeProject(server(), {
      name: 'asking',
      files: { ...chain, 'word.tf': 'variable "word" { default = "a" }\n' },
      by: 'remote',
    })
    const ask = async (args: string[], input = '') => {
      server().taken()
      const { code, stdout, stderr } = await project.terraform([...args, '-no-color'], { input })
      return { code, said: `${stdout}${stderr}`.replaceAll(/[\s│╷╵]+/g, ' '), asked: server().taken() }
    }
    const init = await ask(['init'])
    const notThere = 'GET organizations/:org/workspaces/:ws 404'
    expectWire(init.asked, [
      ...prologue,
      notThere,
      'POST organizations/:org/workspaces 201',
      'GET workspaces/:id/current-state-version 404',
    ])
    expect(bodyOf(init.asked, 'POST', '/workspaces')).toMatchObject({
      data: { attributes: { name: 'asking', 'terraform-version': '1.11.4' } },
    })

    const planned: Step[] = [
      ...prologue,
      workspace,
      'POST workspaces/:id/configuration-versions 201',
      'PUT configuration 200',
      '+ GET configuration-versions/:id 200',
      'POST runs 201',
      '+ GET runs/:id 200',
      'GET plans/:id 200',
      ['GET log 200', 'GET plans/:id 200'],
      'GET runs/:id 200',
      'GET runs/:id?include=task_stages 200',
    ]
    const applied: Step[] = [
      'POST runs/:id/actions/apply 202',
      '+ GET runs/:id 200',
      'GET applies/:id 200',
      ['GET log 200', 'GET applies/:id 200'],
      '+ GET runs/:id 200',
    ]
    const plan = await ask(['plan'])
    expectWire(plan.asked, [...planned, '+ GET runs/:id 200'])
    const run = bodyOf(plan.asked, 'POST', '/runs') as { data: { attributes: Record<string, unknown> } }
    expect(Object.keys(run.data.attributes)).toEqual(['refresh'])
    expectWire((await ask(['apply'], 'yes\n')).asked, [...planned, '+ GET runs/:id 200', ...applied])
    expectWire((await ask(['destroy', '-auto-approve'])).asked, [...planned, '+ GET runs/:id 200', ...applied])

    // It says itself what it cannot do, before a run is made.
    const runs = (await project.runs()).length
    for (const args of [['plan', '-var=word=b'], ['plan', '-out=tfplan'], ['plan', '-parallelism=3'], ['refresh']]) {
      const refused = await ask(args)
      expect(refused.code, args.join(' ')).toBe(1)
      expect(refused.said).toMatch(/currently not supported|does not support|not yet supported|not supported/)
    }
    expect(await project.runs()).toHaveLength(runs)
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
