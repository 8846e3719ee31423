import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applied, created, plan, planned, prologue, workspace } from '../harness/cli-steps.ts'
import { makeDirectory, makeProject } from '../harness/project.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { expectSameAsLocal } from '../harness/same-as-local.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { type Step, bodyOf, expectWire, wireLines } from '../harness/wire.ts'

const server = recordedServerOfFile()

const files = {
  'main.tf': `
variable "word" {
  type    = string
  default = "one"
}
variable "list" {
  type    = list(number)
  default = []
}
resource "terraform_data" "a" {
  input = var.word
}
resource "terraform_data" "b" {
  input      = var.list
  depends_on = [terraform_data.a]
}
output "word" {
  value = terraform_data.a.output
}
`,
  'terraform.tfvars': 'list = [3]\n',
}

const apply = [...prologue, workspace, ...created, ...planned]
const confirmed = 'POST runs/:id/actions/apply 202'
const question = "Only 'yes' will be accepted"

/** A project and a directory without a server, both after init, and nothing asked yet. */
const newPair = async (name: string, more: Record<string, string> = files) => {
  const project = await makeProject(server(), { name, files: more })
  const local = await makeDirectory(more)
  for (const { code, stderr } of [await project.terraform(['init']), await terraform(local, ['init'])]) expect(code, stderr).toBe(0)
  server().taken()
  return { project, local }
}

describe('plan', () => {
  it('SEQ-10: makes a speculative run, with the variables of the command line as literals', async () => {
    const { project, local } = await newPair('plan')
    await expectSameAsLocal(project, local, ['plan', '-detailed-exitcode', '-var=list=[1, 2]', '-var=word=a "quote" 100%'])
    const asked = server().taken()
    expectWire(asked, plan)
    expect(bodyOf(asked, 'POST', '/configuration-versions')).toMatchObject({
      data: { attributes: { 'auto-queue-runs': false, speculative: true, provisional: false } },
    })
    const variables = [
      { key: 'list', value: '[1, 2]' },
      { key: 'word', value: '"a \\"quote\\" 100%"' },
    ]
    expect(bodyOf(asked, 'POST', '/runs')).toMatchObject({
      data: { attributes: { 'auto-apply': false, 'save-plan': false, refresh: true, variables: expect.arrayContaining(variables) } },
    })
    const [run] = await project.runs()
    expect(run?.attributes).toMatchObject({ status: 'planned_and_finished', 'plan-only': true })
    expect(run?.attributes['variables']).toEqual(expect.arrayContaining(variables))

    // What comes and goes by a URL of its own needs no token, and gets none.
    for (const each of asked.filter(({ url }) => url.startsWith('/_objects/configuration/') || url.startsWith('/_objects/log/')))
      expect(each.headers.authorization).toBeUndefined()
    const reads = asked.filter(({ url }) => url.startsWith('/_objects/log/')).map(({ url }) => new URL(url, server().url).searchParams)
    expect(reads.map((query) => [...query.keys()].toSorted())).toEqual(reads.map(() => ['limit', 'offset']))
  })

  it('SEQ-10: an errored plan ends the same way, with exit code 1', async () => {
    const failing = { 'main.tf': 'resource "terraform_data" "a" {\n  input = file("missing")\n}\n' }
    const { project } = await newPair('errored', failing)
    const { code, stdout } = await project.terraform(['plan', '-no-color'])
    expect(code).toBe(1)
    expect(stdout).toContain('Error: Invalid function argument')
    // An errored plan is not rendered, so its document is not asked for.
    expectWire(
      server().taken(),
      plan.filter((step) => typeof step !== 'string' || !/json-(output-)?redacted/.test(step)),
    )
  })

  it('takes -lock=false and -refresh=false, and refuses -parallelism as the platform does', async () => {
    const { project, local } = await newPair('flags')
    await expectSameAsLocal(project, local, ['apply', '-auto-approve', '-lock=false'])
    server().taken()
    for (const args of [
      ['plan', '-lock=false'],
      ['plan', '-refresh=false', '-var=word=two'],
      ['apply', '-auto-approve', '-refresh=false', '-lock=false', '-var=word=two'],
    ])
      await expectSameAsLocal(project, local, args)
    const bodies = server()
      .taken()
      .filter(({ method, url }) => method === 'POST' && url === '/api/v2/runs')
      .map(({ body }) => (body as { data: { attributes: { refresh: boolean } } }).data.attributes.refresh)
    expect(bodies).toEqual([true, false, false])
    await expectSameAsLocal(project, local, ['plan', '-target=terraform_data.b', '-var=word=two', '-var=list=[7]'], { sorted: true })
    expect(bodyOf(server().taken(), 'POST', '/runs')).toMatchObject({ data: { attributes: { 'target-addrs': ['terraform_data.b'] } } })

    for (const command of ['plan', 'apply']) {
      const refused = await project.terraform([command, '-no-color', '-parallelism=3'])
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Custom parallelism values are currently not supported') })
      expectWire(server().taken(), [...prologue, workspace])
    }
    // What the platform offers for that instead.
    const { id } = await project.workspace()
    const attributes = { key: 'TFE_PARALLELISM', value: '1', category: 'env' }
    await server().api.call('POST', `workspaces/${id}/vars`, { type: 'vars', attributes })
    expect((await project.terraform(['plan'])).code).toBe(0)
  })

  it('terraform.workspace is the name of the workspace, as it is for commands on the own machine', async () => {
    const naming = { 'main.tf': 'output "name" {\n  value = terraform.workspace\n}\n' }
    for (const by of ['cloud', 'remote'] as const) {
      const project = await makeProject(server(), { name: `named-by-${by}`, files: naming, by })
      expect((await project.terraform(['init'])).code).toBe(0)
      expect((await project.terraform(['apply', '-auto-approve'])).code).toBe(0)
      expect((await project.terraform(['output', '-raw', 'name'])).stdout).toBe(`named-by-${by}`)
      // A second run finds the state of the first.
      expect((await project.terraform(['plan', '-detailed-exitcode'])).code).toBe(0)
    }
  })

  it('-generate-config-out writes what a local plan writes', async () => {
    const importing = { 'main.tf': 'import {\n  to = terraform_data.found\n  id = "the-id"\n}\n' }
    const { project, local } = await newPair('generate', importing)
    const args = ['plan', '-generate-config-out=generated.tf', '-detailed-exitcode']
    await expectSameAsLocal(project, local, args, { sorted: true })
    expect(bodyOf(server().taken(), 'POST', '/runs')).toMatchObject({ data: { attributes: { 'allow-config-generation': true } } })
    const generated = await readFile(join(project.directory, 'generated.tf'), 'utf8')
    expect(generated).toContain('resource "terraform_data" "found"')
    expect(generated).toBe(await readFile(join(local, 'generated.tf'), 'utf8'))
    await expectSameAsLocal(project, local, ['apply', '-auto-approve'])
    expect(await project.resources()).toEqual([{ address: 'terraform_data.found', isTainted: false }])
  })
})

describe('apply', () => {
  it('SEQ-11, SEQ-13: asks, and applies or discards as it is answered', async () => {
    const { project, local } = await newPair('asks')
    const refused = await project.terraform(['apply', '-no-color'], { input: 'no\n' })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Error: Apply discarded.') })
    expectWire(server().taken(), [...apply, '+ GET runs/:id 200', 'POST runs/:id/actions/discard 202'])
    expect((await project.runs())[0]?.attributes['status']).toBe('discarded')

    await expectSameAsLocal(project, local, ['apply'], { input: 'yes\n' })
    expectWire(server().taken(), [...apply, confirmed, ...applied])
    // Nothing to apply, nothing to ask.
    expect(await project.terraform(['apply', '-no-color'])).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes.') })
    expectWire(server().taken(), apply)
  })

  it('SEQ-13: asks in a workspace that applies by itself, and cannot be asked without a terminal', async () => {
    const { project } = await newPair('by-itself')
    const { id } = await project.workspace()
    await server().api.call('PATCH', `workspaces/${id}`, { type: 'workspaces', attributes: { 'auto-apply': true } })
    expect(await project.terraform(['apply', '-no-color'], { input: 'no\n' })).toMatchObject({ code: 1 })
    expect((await project.runs())[0]?.attributes).toMatchObject({ status: 'discarded', 'auto-apply': false })
    expect(await project.terraform(['apply', '-no-color', '-input=false'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Cannot confirm apply due to -input=false'),
    })
    expect((await project.runs())[0]?.attributes['status']).toBe('planned')
  })

  it('SEQ-12: -auto-approve, refresh-only, refresh and destroy leave the approval to the server', async () => {
    const { project, local } = await newPair('approved')
    const expectRun = async (attributes: Record<string, unknown>, status: string, steps: Step[]): Promise<void> => {
      const asked = server().taken()
      expectWire(asked, steps)
      expect(bodyOf(asked, 'POST', '/runs')).toMatchObject({ data: { attributes } })
      expect((await project.runs())[0]?.attributes).toMatchObject({ ...attributes, status })
    }
    await expectSameAsLocal(project, local, ['apply', '-auto-approve'])
    await expectRun({ 'auto-apply': true }, 'applied', [...apply, ...applied])
    // Without changes a local apply shows the outputs, and a remote one has ended before.
    for (const args of [['apply', '-auto-approve', '-refresh-only'], ['refresh']]) {
      expect((await project.terraform(args)).stdout).toContain('No changes.')
      await expectRun({ 'auto-apply': true, 'refresh-only': true }, 'planned_and_finished', apply)
    }
    await expectSameAsLocal(project, local, ['destroy', '-auto-approve'])
    await expectRun({ 'auto-apply': true, 'is-destroy': true }, 'applied', [...apply, ...applied])
    expect(await project.resources()).toEqual([])
  })
})

describe('while the CLI asks', () => {
  it('SEQ-14: another client approves, and the CLI goes on without an approval of its own', async () => {
    const { project } = await newPair('approved-elsewhere')
    const cli = await project.start(['apply', '-no-color'])
    await cli.sees(question)
    await server().api.call('POST', `runs/${(await project.runs())[0]?.id}/actions/apply`)
    const { code, stdout } = await cli.ended
    expect(code).toBe(0)
    expect(stdout).toContain('approved using the UI or API')
    expect(stdout).toContain('Apply complete! Resources: 2 added')
    expectWire(server().taken(), [...apply, '+ GET runs/:id 200', ...applied])
  })

  it('SEQ-14: another client discards, and the CLI says so at its next look', async () => {
    const { project } = await newPair('discarded-elsewhere')
    const cli = await project.start(['apply', '-no-color'])
    await cli.sees(question)
    await server().api.call('POST', `runs/${(await project.runs())[0]?.id}/actions/discard`)
    const { code, stdout, stderr } = await cli.ended
    expect(code).toBe(1)
    expect(stdout).toContain('discarded using the UI or API')
    expect(stderr).toContain('Error: Apply discarded.')
    expect(wireLines(server().taken()).filter((line) => line.startsWith('POST runs/'))).toEqual([])
  })
})
