import { describe, expect, it } from 'vitest'
import { comparableOutput } from '../harness/comparable-output.ts'
import { logText } from '../harness/log-lines.ts'
import { makeDirectory, makeProject } from '../harness/project.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const server = serverOfFile()

/** Blocks of diagnostics; the engine gives them in no order. */
const diagnostics = (text: string): string[] =>
  comparableOutput(text)
    .join('\n')
    .match(/╷\n[^╵]*╵/g)
    ?.toSorted() ?? []

const unboxed = (line: string): string => line.replace(/^[╷│╵] ?/, '')

const validated = `
variable "size" {
  type    = number
  default = 9
  validation {
    condition     = var.size < 3
    error_message = "The größe must be less than 3."
  }
}
resource "terraform_data" "a" {
  input = var.size
}
`

const broken: Record<string, Record<string, string>> = {
  'an unknown reference': {
    'main.tf': 'resource "terraform_data" "a" {\n  input = terraform_data.missing.output\n}\n\noutput "x" {\n  value = local.nothing\n}\n',
  },
  'a value that the variable refuses': { 'main.tf': validated },
  'a provisioner that fails': {
    'main.tf': `
resource "terraform_data" "a" {}
resource "terraform_data" "b" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" {
    command = "echo before; echo bad >&2; exit 3"
  }
}
`,
  },
}

describe('a configuration with an error', () => {
  for (const [what, files] of Object.entries(broken)) {
    it(`ends with exit code 1 and the engine's own words: ${what}`, async () => {
      const project = await makeProject(server(), { name: what.replaceAll(' ', '-'), files })
      const local = await makeDirectory(files)
      await project.terraform(['init'])
      await terraform(local, ['init'])
      const there = await project.terraform(['apply', '-auto-approve'])
      const here = await terraform(local, ['apply', '-auto-approve'])
      expect(there.code, there.stdout).toBe(1)
      expect(here.code).toBe(1)
      expect(diagnostics(here.stderr).length).toBeGreaterThan(0)
      expect(diagnostics(there.stdout)).toEqual(diagnostics(here.stderr))
      expect((await project.runs())[0]?.attributes['status']).toBe('errored')
      expect((await project.workspace()).attributes['locked']).toBe(false)
    })
  }

  it('says the same about a value given with -var', async () => {
    const project = await makeProject(server(), { name: 'given', files: { 'main.tf': validated } })
    await project.terraform(['init'])
    const { code, stdout } = await project.terraform(['plan', '-no-color', '-var=size=7'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/Error: Invalid value for variable[^]*var\.size is 7[^]*The größe must be less than 3\./)
  })

  it('R041: shows why init failed in the log of the plan', async () => {
    // The CLI installs the module and does not upload it.
    const files = { 'main.tf': 'module "m" {\n  source = "./m"\n}\n', 'm/main.tf': '', '.terraformignore': 'm/\n' }
    const project = await makeProject(server(), { name: 'no-module', files })
    await project.terraform(['init'])
    const here = await terraform(await makeDirectory({ 'main.tf': files['main.tf'] }), ['init'])
    const there = await project.terraform(['plan'])
    expect(there.code).toBe(1)
    const words = comparableOutput(here.stderr)
      .map(unboxed)
      .filter((line) => line !== '')
    expect(words).toContain('Error: Unreadable module directory')
    expect(comparableOutput(there.stdout).map(unboxed)).toEqual(expect.arrayContaining(words))
  })

  it('R041: shows a syntax error in an uploaded configuration', async () => {
    const files = { 'main.tf': 'resource "terraform_data" "a" {\n  input = = 3\n}\n' }
    const project = await makeProject(server(), { name: 'syntax', files: {} })
    await project.terraform(['init'])
    const run = await project.runIn((await project.uploadAndRun(files)).id, 'errored')
    const here = await terraform(await makeDirectory(files), ['init', '-no-color'])
    const [said] =
      /Error: Invalid expression[^]*?input = = 3/.exec(
        comparableOutput(here.stderr + here.stdout)
          .join('\n')
          .replaceAll('│ ', ''),
      ) ?? []
    expect(said).toBeDefined()
    const log = logText(await project.log(run, 'plan'))
    expect(log).toContain('Invalid expression')
    expect(log).toContain('input = = 3')
  })

  it('R017: keeps what was made before the error, and finishes the rest with the next apply', async () => {
    const project = await makeProject(server(), {
      name: 'partial',
      files: {
        'main.tf': `
variable "fails" {
  type    = bool
  default = true
}
resource "terraform_data" "a" {}
resource "terraform_data" "b" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" {
    command = var.fails ? "exit 1" : "true"
  }
}
`,
      },
    })
    await project.terraform(['init'])
    expect((await project.terraform(['apply', '-auto-approve'])).code).toBe(1)
    expect(await project.resources()).toEqual([
      { address: 'terraform_data.a', isTainted: false },
      { address: 'terraform_data.b', isTainted: true },
    ])
    const { code, stdout } = await project.terraform(['apply', '-auto-approve', '-no-color', '-var=fails=false'])
    expect(code).toBe(0)
    expect(stdout).toContain('Apply complete! Resources: 1 added, 0 changed, 1 destroyed.')
    expect(await project.resources()).toEqual([
      { address: 'terraform_data.a', isTainted: false },
      { address: 'terraform_data.b', isTainted: false },
    ])
  })
})
