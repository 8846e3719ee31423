import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { comparableOutput } from '../harness/comparable-output.ts'
import { type Project, makeDirectory, makeProject } from '../harness/project.ts'
import { terraformOnTerminal } from '../harness/pty.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { type CliOptions, type CliResult, terraform } from '../harness/terraform-cli.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const server = serverOfFile()
const program = 'tofu'

const ok = async (result: Promise<CliResult>): Promise<CliResult> => {
  const ended = await result
  expect(ended.code, `${ended.stdout}\n${ended.stderr}`).toBe(0)
  return ended
}

const tofuProject = (options: Omit<Parameters<typeof makeProject>[1], 'program'>): Promise<Project> =>
  makeProject(server(), { ...options, program })

const statusesOf = async (project: Project): Promise<unknown[]> => (await project.runs()).map(({ attributes }) => attributes['status'])

const chain = {
  'main.tf': `
variable "word" {
  type    = string
  default = "größe"
}
resource "terraform_data" "first" {
  input = var.word
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

describe.each(['cloud', 'remote'] as const)('tofu with %s', (by) => {
  it('plans, declines, applies, reads and destroys as without a server', async () => {
    const project = await tofuProject({ name: `story-${by}`, files: chain, by })
    const local = await makeDirectory(chain)
    const both = async (args: string[], options: Pick<CliOptions, 'input'> = {}): Promise<CliResult> => {
      const [there, here] = [await project.terraform(args, options), await terraform(local, args, { program, ...options })]
      expect.soft(comparableOutput(there.stdout), `stdout of ${args.join(' ')}`).toEqual(comparableOutput(here.stdout))
      expect.soft(comparableOutput(there.stderr), `stderr of ${args.join(' ')}`).toEqual(comparableOutput(here.stderr))
      expect(there.code, `exit code of ${args.join(' ')}\n${there.stdout}\n${there.stderr}`).toBe(here.code)
      return there
    }
    const { stdout } = await ok(project.terraform(['init', '-no-color']))
    expect(stdout).toContain('successfully initialized')
    await ok(terraform(local, ['init'], { program }))
    expect((await project.workspace()).attributes).toMatchObject({ engine: 'tofu', 'terraform-version': '1.12.6' })

    expect((await both(['plan'])).stdout).toContain('OpenTofu v1.12.6\non linux_amd64')
    expect(await project.terraform(['apply'], { input: 'no\n' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Apply discarded'),
    })
    await both(['apply'], { input: 'yes\n' })
    for (const args of [['output'], ['output', '-json'], ['output', '-raw', 'second'], ['state', 'list'], ['plan', '-detailed-exitcode']])
      await both(args)
    await both(['plan', '-refresh-only'])
    // The backend "remote" has no run variables.
    await both(['apply', '-auto-approve', '-replace=terraform_data.first', ...(by === 'cloud' ? ['-var=word=other'] : [])])
    await both(['destroy', '-auto-approve'])
    await both(['state', 'list'])
    expect(await statusesOf(project)).toEqual([
      'applied',
      'applied',
      'planned_and_finished',
      'planned_and_finished',
      'applied',
      'discarded',
      'planned_and_finished',
    ])
  })

  it('moves, removes, reads and writes state', async () => {
    const project = await tofuProject({ name: `state-${by}`, files: chain, by })
    await ok(project.terraform(['init']))
    await ok(project.terraform(['apply', '-auto-approve']))
    await ok(project.terraform(['state', 'mv', 'terraform_data.first', 'terraform_data.renamed']))
    await ok(project.terraform(['state', 'rm', 'terraform_data.second']))
    expect(await project.resources()).toEqual([{ address: 'terraform_data.renamed', isTainted: false }])
    expect((await ok(project.terraform(['state', 'list']))).stdout).toBe('terraform_data.renamed\n')

    const { stdout: pulled } = await ok(project.terraform(['state', 'pull']))
    const state = JSON.parse(pulled) as { serial: number; terraform_version: string; resources: { name: string }[] }
    expect(state.terraform_version).toBe('1.12.6')
    state.serial += 1
    for (const resource of state.resources) resource.name = 'pushed'
    await project.write({ 'changed.json': JSON.stringify(state) })
    await ok(project.terraform(['state', 'push', 'changed.json']))
    expect(await project.resources()).toEqual([{ address: 'terraform_data.pushed', isTainted: false }])
    await project.write({ 'older.json': JSON.stringify({ ...state, serial: state.serial - 1 }) })
    expect(await project.terraform(['state', 'push', '-no-color', 'older.json'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('serial'),
    })
  })

  it('is kept out by a lock, which it names', async () => {
    const project = await tofuProject({ name: `locked-${by}`, files: chain, by })
    await ok(project.terraform(['init']))
    await ok(project.terraform(['apply', '-auto-approve']))
    const { id } = await project.workspace()
    await server().api.call('POST', `workspaces/${id}/actions/lock`, undefined)
    const kept = await project.terraform(['state', 'rm', '-no-color', 'terraform_data.first'])
    expect(kept).toMatchObject({ code: 1, stderr: expect.stringMatching(/workspace already locked|Error acquiring the state lock/) })
    await ok(project.terraform(['force-unlock', '-force', `e2e/locked-${by}`]))
    await ok(project.terraform(['state', 'rm', 'terraform_data.first']))
  })
})

describe('tofu', () => {
  it('asks on a terminal, and Ctrl-C cancels the run it has started', async () => {
    const effects = await makeSideEffects()
    const project = await tofuProject({ name: 'terminal', files: { 'main.tf': effects.configuration({ steps: 3, gates: [1] }) } })
    await ok(project.terraform(['init']))
    const terminal = await terraformOnTerminal(project.directory, ['apply'], { program, cliConfigFile: server().cliConfigFile })
    await terminal.shows('Enter a value:')
    terminal.type('yes\r')
    await effects.begun(1)
    await terminal.shows('step1: Provisioning')
    terminal.type('\u0003')
    await terminal.shows('Do you want to cancel the remote operation?')
    terminal.type('yes\r')
    await terminal.ended
    const [run] = await project.runs()
    await project.runIn(run?.id ?? '', 'canceled')
    expect(await project.resources()).toEqual([
      { address: 'terraform_data.step0', isTainted: false },
      { address: 'terraform_data.step1', isTainted: true },
    ])
    expect((await project.workspace()).attributes['locked']).toBe(false)
  })

  it('chooses workspaces by tags: makes, lists, selects and deletes them', async () => {
    const project = await tofuProject({ name: 'tagged-one', files: chain, workspaces: 'tags = ["app", "tofu"]' })
    const init = await project.start(['init', '-no-color'])
    await init.sees('Enter a value:')
    init.write('tagged-one\n')
    expect((await init.ended).code).toBe(0)
    expect((await project.workspace()).attributes).toMatchObject({ 'tag-names': ['app', 'tofu'], engine: 'tofu' })

    await ok(project.terraform(['workspace', 'new', 'tagged-two']))
    expect((await ok(project.terraform(['workspace', 'show']))).stdout).toBe('tagged-two\n')
    await ok(project.terraform(['workspace', 'select', 'tagged-one']))
    expect((await ok(project.terraform(['workspace', 'list']))).stdout).toMatch(/\* tagged-one\n +tagged-two\n/)
    await ok(project.terraform(['apply', '-auto-approve']))
    await ok(project.terraform(['workspace', 'delete', 'tagged-two']))
    await ok(project.terraform(['workspace', 'select', '-or-create', 'tagged-three']))
    const refused = await project.terraform(['workspace', 'delete', '-no-color', 'tagged-one'])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('not empty') })
    expect((await project.runs())[0]?.attributes['status']).toBe('applied')
  })

  it('has several workspaces by a prefix, with backend remote', async () => {
    const project = await tofuProject({ name: 'pre-dev', files: chain, by: 'remote', workspaces: 'prefix = "pre-"' })
    expect(await project.terraform(['init', '-no-color'])).toMatchObject({ stderr: expect.stringContaining('No existing workspaces') })
    await ok(project.terraform(['workspace', 'new', 'dev']))
    await ok(project.terraform(['init']))
    await ok(project.terraform(['workspace', 'new', 'prod']))
    expect((await ok(project.terraform(['workspace', 'list']))).stdout).toMatch(/dev\n\* prod\n/)
    await ok(project.terraform(['workspace', 'select', 'dev']))
    await ok(project.terraform(['apply', '-auto-approve']))
    expect(await project.resources()).toHaveLength(2)
  })

  it('saves a plan, shows it and applies it once', async () => {
    const project = await tofuProject({
      name: 'saved',
      files: { 'main.tf': 'resource "terraform_data" "time" { input = timestamp() }' },
    })
    await ok(project.terraform(['init']))
    await ok(project.terraform(['plan', '-out=tfplan']))
    expect((await project.runs())[0]?.attributes['status']).toBe('planned_and_saved')
    expect((await ok(project.terraform(['show', '-no-color', 'tfplan']))).stdout).toContain('# terraform_data.time will be created')
    const json = JSON.parse((await ok(project.terraform(['show', '-json', 'tfplan']))).stdout)
    expect(json).toMatchObject({ format_version: '1.2', terraform_version: '1.12.6' })
    expect((await ok(project.terraform(['apply', '-no-color', 'tfplan']))).stdout).toContain('Resources: 1 added')
    expect((await project.terraform(['apply', '-no-color', 'tfplan'])).code).toBe(1)
  })

  it('needs no login: a token in the environment does', async () => {
    const project = await tofuProject({ name: 'by-token', files: chain })
    const config = join(project.directory, 'hosts.tofurc')
    await writeFile(config, `host "localhost" {\n  services = { "tfe.v2" = "${server().url}/api/v2/" }\n}\n`)
    const around = { program, cliConfigFile: config } as const
    const refused = await terraform(project.directory, ['init', '-no-color'], around)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('tofu login') })
    const env = { TF_TOKEN_localhost: server().adminToken }
    await ok(terraform(project.directory, ['init', '-no-color'], { ...around, env }))
    await ok(terraform(project.directory, ['apply', '-no-color', '-auto-approve'], { ...around, env }))
    expect(await project.resources()).toHaveLength(2)
  })

  it('reads the state of another workspace', async () => {
    const source = await tofuProject({ name: 'source', files: chain })
    await ok(source.terraform(['init']))
    await ok(source.terraform(['apply', '-auto-approve']))
    const reader = await tofuProject({
      name: 'reader',
      files: {
        'main.tf': `
data "terraform_remote_state" "source" {
  backend = "remote"
  config = {
    hostname     = "localhost"
    organization = "e2e"
    workspaces   = { name = "source" }
  }
}
output "word" { value = data.terraform_remote_state.source.outputs.second }
`,
      },
    })
    await ok(reader.terraform(['init']))
    const denied = await reader.terraform(['plan', '-no-color'])
    expect(denied.code).toBe(1)
    const { id } = await source.workspace()
    await server().api.call('POST', `workspaces/${id}/relationships/remote-state-consumers`, [
      { type: 'workspaces', id: (await reader.workspace()).id },
    ])
    await ok(reader.terraform(['apply', '-auto-approve']))
    expect((await ok(reader.terraform(['output', '-raw', 'word']))).stdout).toBe('größe')
  })
})
