import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { comparableOutput } from '../harness/comparable-output.ts'
import { logText } from '../harness/log-lines.ts'
import { type Project, makeDirectory, makeProject } from '../harness/project.ts'
import { type CliResult, terraform } from '../harness/terraform-cli.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const server = serverOfFile()

/** `json`: the CLI renders what the log holds. `text`: the log is what the engine wrote; `classic`: the same, by backend "remote". */
type Kind = 'json' | 'text' | 'classic'

/** The same files in a project and without a server, both initialised. */
const beside = async (name: string, files: Record<string, string>, kind: Kind) => {
  const project = await makeProject(server(), { name: `${name}-${kind}`, files, by: kind === 'classic' ? 'remote' : 'cloud' })
  const local = await makeDirectory(files)
  for (const { code, stderr } of [await project.terraform(['init']), await terraform(local, ['init'])]) expect(code, stderr).toBe(0)
  const { id } = await project.workspace()
  const attributes = { 'structured-run-output-enabled': kind === 'json' }
  await server().api.call('PATCH', `workspaces/${id}`, { type: 'workspaces', attributes })
  const both = async (args: string[]): Promise<[CliResult, CliResult]> => [await project.terraform(args), await terraform(local, args)]
  return { project, local, both }
}

/** All that a command said, in no order: resources are worked on at the same time, and a warning has its place by the kind of the log. */
const linesOf = ({ stdout, stderr }: CliResult): string[] =>
  // A warning of a check is in the logs of both the plan and the apply of a run; an engine that does both at once says it once.
  [...new Set(comparableOutput(`${stdout}\n${stderr}`))].toSorted()

/**
 * Terraform's JSON has other words for two things than its text (1.11). And the server hides a value that is sensitive anywhere in the plan
 * everywhere in it.
 */
const asJson = (lines: string[]): string[] =>
  lines
    .filter((line) => !/: Preparing import\.\.\. \[id=/.test(line))
    .map((line) => line.replace(/^(data\S+: )Read(ing| complete)/, (_, start: string, rest: string) => `${start}Refresh${rest}`))
    .map((line) => line.replace('output = "correct horse"', 'output = "REDACTED"'))
    .toSorted()

/** Blocks of diagnostics, in no order. */
const diagnostics = ({ stdout, stderr }: CliResult): string[] =>
  comparableOutput(`${stdout}\n${stderr}`)
    .join('\n')
    .match(/╷\n[^╵]*╵/g)
    ?.toSorted() ?? []

const words = ({ stdout, stderr }: CliResult): string => stripVTControlCharacters(stdout + stderr).replaceAll(/[\s│╷╵]+/g, ' ')

const addVariable = async (project: Project, attributes: Record<string, unknown>): Promise<void> => {
  const { id } = await project.workspace()
  await server().api.call('POST', `workspaces/${id}/vars`, { type: 'vars', attributes })
}

const everything = {
  'main.tf': `
variable "size" {
  type    = number
  default = 1
}
variable "secret" {
  type      = string
  sensitive = true
  default   = "correct horse"
}
variable "token" {
  type      = string
  ephemeral = true
  default   = "battery staple"
}
module "outer" {
  source   = "./modules/outer"
  for_each = toset(["größe", "b\\"q"])
  name     = each.key
}
resource "terraform_data" "a" {
  input = {
    size  = var.size
    lines = "line1\\nline2 größe ☃\\n\\ttab"
    long  = join("", [for i in range(1000) : "long-"])
  }
  lifecycle {
    ignore_changes = ["triggers_replace"]
    precondition {
      condition     = var.size < 5
      error_message = "The size must be less than 5, and it is \${var.size}."
    }
    postcondition {
      condition     = self.input.size != 3
      error_message = "The größe must not be 3."
    }
  }
}
resource "terraform_data" "new" { input = var.secret }
moved {
  from = terraform_data.old
  to   = terraform_data.new
}
import {
  to = terraform_data.imported
  id = "some-id"
}
resource "terraform_data" "imported" {}
data "terraform_remote_state" "late" {
  backend    = "local"
  config     = { path = "\${path.module}/other.tfstate" }
  depends_on = [terraform_data.a]
}
resource "terraform_data" "shell" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" {
    command = "echo größe; echo on stderr >&2; printf '\\\\033[31mred\\\\033[0m\\\\n'; echo '  indented'; echo '{\\"a\\": 1}'"
  }
  provisioner "local-exec" {
    command    = "exit 4"
    on_failure = "continue"
  }
}
check "size" {
  assert {
    condition     = var.size < 2
    error_message = "The größe is \${var.size}."
  }
}
output "secret" {
  value     = var.secret
  sensitive = true
}
output "size" {
  value = var.size
  precondition {
    condition     = var.size != 4
    error_message = "Not four."
  }
}
`,
  'values.auto.tfvars': 'unknown = 1\n',
  'other.tfstate': JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: 'other',
    outputs: { word: { value: 'größe', type: 'string' } },
    resources: [],
  }),
  'modules/outer/main.tf': `
variable "name" { type = string }
module "inner" {
  source = "../inner"
  name   = var.name
}
`,
  'modules/inner/main.tf': `
variable "name" { type = string }
resource "terraform_data" "name" {
  count = 2
  input = "\${var.name}-\${count.index}"
}
`,
}

const removing = {
  'main.tf': everything['main.tf'].replace(
    /resource "terraform_data" "new"[^]*?\n}\n/,
    'removed {\n  from = terraform_data.new\n  lifecycle {\n    destroy = false\n  }\n}\n',
  ),
}

describe('what the CLI shows of a run', () => {
  for (const kind of ['json', 'text', 'classic'] as const) {
    it(`is what it shows without a server: log in ${kind}`, async () => {
      const { project, local, both } = await beside('everything', everything, kind)
      const expectSame = async (args: string[]): Promise<void> => {
        const [there, here] = await both(args)
        const lines = kind === 'json' ? asJson : (all: string[]): string[] => all
        expect.soft(lines(linesOf(there)), args.join(' ')).toEqual(lines(linesOf(here)))
        expect(there.code, `${args.join(' ')}\n${there.stdout}${there.stderr}`).toBe(here.code)
      }
      await expectSame(['plan'])
      await expectSame(['apply', '-auto-approve'])
      if (kind === 'json') await expectSame(['apply', '-auto-approve', '-var=size=2'])
      for (const directory of [project.directory, local]) await writeFile(join(directory, 'main.tf'), removing['main.tf'])
      await expectSame(['plan', '-detailed-exitcode'])
      if (kind === 'json') await expectSame(['show'])
      await expectSame(['destroy', '-auto-approve'])
    })

    it(`is the errors that it shows without a server: log in ${kind}`, async () => {
      const { both, project, local } = await beside('errors', everything, kind)
      // Of a resource, of an output, and before the resource.
      for (const size of kind === 'classic' ? [3] : [3, 4, 5]) {
        const main = everything['main.tf'].replace('default = 1\n', `default = ${size}\n`)
        for (const directory of [project.directory, local]) await writeFile(join(directory, 'main.tf'), main)
        const [there, here] = await both(['plan'])
        expect(diagnostics(here).some((text) => text.includes('Error: '))).toBe(true)
        expect.soft(diagnostics(there), String(size)).toEqual(diagnostics(here))
        expect([there.code, here.code]).toEqual([1, 1])
      }
    })
  }

  it('has the colours of the engine in a text log, unless the workspace says no', async () => {
    const { project, both } = await beside(
      'colours',
      { 'main.tf': 'resource "terraform_data" "a" {}\noutput "x" { value = 1 }\n' },
      'classic',
    )
    const [there, here] = await both(['plan'])
    const coloured = here.stdout.split('\n').filter((line) => line.includes('\u001b[1m') || line.includes('\u001b[32m'))
    expect(coloured.length).toBeGreaterThan(4)
    expect(there.stdout.split('\n')).toEqual(expect.arrayContaining(coloured))
    // With a cloud block the CLI passes on what is in the log, whatever it was told itself.
    expect((await project.terraform(['plan', '-no-color'])).stdout).not.toContain('\u001b')

    await addVariable(project, { key: 'TF_CLI_ARGS', value: '-no-color', category: 'env' })
    const plain = await project.terraform(['apply', '-auto-approve', '-no-color'])
    expect(plain, plain.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Apply complete! Resources: 1 added') })
    expect(plain.stdout).not.toContain('\u001b')
  })

  it('of an init that fails is its diagnostics, as init shows them', async () => {
    // The CLI installs the module and does not upload it.
    const files = { 'main.tf': 'module "m" {\n  source = "./m"\n}\n', 'm/main.tf': '', '.terraformignore': 'm/\n' }
    const here = await terraform(await makeDirectory({ 'main.tf': files['main.tf'] }), ['init'])
    expect(diagnostics(here).length).toBeGreaterThan(0)
    for (const kind of ['json', 'text', 'classic'] as const) {
      const { project } = await beside('no-module', files, kind)
      const there = await project.terraform(['plan'])
      expect(there.code).toBe(1)
      expect.soft(diagnostics(there), kind).toEqual(diagnostics(here))
      expect(there.stdout).not.toContain('Successfully configured the backend')
    }
  })
})

describe('a value that a variable refuses', () => {
  const main = `
variable "size" {
  type    = number
  default = 1
  validation {
    condition     = var.size < 3
    error_message = "The größe must be less than 3."
  }
}
`
  it('is reported with the place that the platform gives it, and the words of the engine', async () => {
    const { project, both } = await beside('refused', { 'main.tf': main }, 'json')
    const [there, here] = await both(['plan', '-var=size=7'])
    for (const said of [there, here]) {
      expect(said.code).toBe(1)
      expect(words(said)).toContain(
        'var.size is 7 The größe must be less than 3. This was checked by the validation rule at main.tf:5,3-13.',
      )
    }
    expect(words(there)).toContain('on terraform.tfvars line 1: 1: size = "7"')
    expect(words(await project.terraform(['plan', '-var=size=many']))).toContain(
      'is not suitable for var.size declared at main.tf:2,1-16: a number',
    )
    expect(await both(['plan', '-var=nothing=1'])).toMatchObject([{ code: 1 }, { code: 1 }])

    await addVariable(project, { key: 'size', value: 'not-for-your-eyes', category: 'terraform', sensitive: true })
    const hidden = await project.terraform(['plan'])
    expect(words(hidden)).toContain('on terraform.tfvars line 1')
    expect(hidden.stdout + hidden.stderr).not.toContain('not-for-your-eyes')
    const given = await project.terraform(['plan', '-var=size=neither-is-this'])
    expect(given.code).toBe(1)
    expect(given.stdout + given.stderr).not.toContain('neither-is-this')
  })
})

describe('a secret of the workspace', () => {
  const main = `
variable "password" {
  type      = string
  sensitive = true
}
resource "terraform_data" "a" {
  input = { password = var.password, length = length(var.password) }
  provisioner "local-exec" {
    command = "echo 'the password is \${nonsensitive(var.password)}'; echo part: $PART"
  }
}
output "password" {
  value     = var.password
  sensitive = true
}
`
  it('is in no text that the CLI shows, whatever the log, the level of logging and the format asked for', async () => {
    for (const kind of ['json', 'text'] as const) {
      const project = await makeProject(server(), { name: `secret-${kind}`, files: { 'main.tf': main } })
      await project.terraform(['init'])
      const attributes = { 'structured-run-output-enabled': kind === 'json' }
      await server().api.call('PATCH', `workspaces/${(await project.workspace()).id}`, { type: 'workspaces', attributes })
      await addVariable(project, { key: 'password', value: 'open-sésame-"42"', category: 'terraform', sensitive: true })
      await addVariable(project, { key: 'PART', value: 'another-secret-part', category: 'env', sensitive: true })
      await addVariable(project, { key: 'TF_LOG', value: 'TRACE', category: 'env' })
      const applied = await project.terraform(['apply', '-auto-approve'])
      expect(applied.code, applied.stdout.slice(-2000)).toBe(0)
      const planned = await project.terraform(['plan', '-json'])
      expect(planned.code).toBe(0)
      expect(applied.stdout).toContain('[TRACE]')
      expect(applied.stdout).toContain('the password is ***')
      expect(words(applied)).toMatch(/password = (\(sensitive value\)|<sensitive>)/)
      for (const { stdout, stderr } of [applied, planned]) {
        expect(stdout + stderr).not.toContain('sésame')
        expect(stdout + stderr).not.toContain('another-secret-part')
      }
      const [run] = await project.runs()
      if (run === undefined) throw new Error('there is no run')
      expect(logText(await project.log(run, 'plan'))).not.toContain('sésame')
    }
  })
})

describe('arguments of the workspace', () => {
  it('TF_CLI_ARGS_plan are obeyed, and do not change what the server reads', async () => {
    const project = await makeProject(server(), { name: 'arguments', files: everything })
    await project.terraform(['init'])
    const level = { key: 'TF_LOG', value: 'INFO', category: 'env' }
    const args = { key: 'TF_CLI_ARGS_plan', value: '-parallelism=3 -compact-warnings -var=size=2', category: 'env' }
    for (const attributes of [level, args]) await addVariable(project, attributes)
    const planned = await project.terraform(['plan', '-detailed-exitcode', '-no-color'])
    expect(planned.code, planned.stdout).toBe(2)
    expect(planned.stdout).toContain('"plan", "-parallelism=3"')
    expect(planned.stdout).not.toContain('-parallelism=10')
    expect(planned.stdout).toContain('The größe is 2.')
    expect(planned.stdout).toContain('Plan: 1 to import, 7 to add, 0 to change, 0 to destroy.')
  })
})
