import { describe, expect, it } from 'vitest'
import { comparableOutput } from '../harness/comparable-output.ts'
import { makeDirectory, makeProject } from '../harness/project.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const server = serverOfFile()

const files = {
  'main.tf': `
variable "word" {
  type    = string
  default = "one"
}
variable "list" {
  type    = list(string)
  default = []
}
resource "terraform_data" "a" {
  input = var.word
}
resource "terraform_data" "b" {
  input      = var.list
  depends_on = [terraform_data.a]
}
output "both" { value = "\${terraform_data.a.output}: \${join(", ", terraform_data.b.output)}" }
`,
}

describe('options of plan and apply', () => {
  it('act as without a server: -var, -var-file, -target, -replace, -refresh-only, -destroy', async () => {
    const project = await makeProject(server(), { name: 'options', files: { ...files, 'more.tfvars': 'list = ["x", "ü"]\n' } })
    const local = await makeDirectory({ ...files, 'more.tfvars': 'list = ["x", "ü"]\n' })
    await project.terraform(['init'])
    await terraform(local, ['init'])
    const commands = [
      ['apply', '-auto-approve', '-target=terraform_data.a'],
      ['apply', '-auto-approve', '-var=word=two ${"$"}{x} "q"', '-var-file=more.tfvars'],
      ['plan', '-replace=terraform_data.a', '-var=word=two ${"$"}{x} "q"', '-var-file=more.tfvars'],
      ['plan', '-refresh-only'],
      ['plan', '-refresh=false', '-var=word=three'],
      ['plan', '-destroy', '-detailed-exitcode'],
    ]
    for (const args of commands) {
      const [there, here] = [await project.terraform(args), await terraform(local, args)]
      // A warning comes before the plan in a log of JSON lines, and after it in text; an apply shows it in both logs.
      const lines = (stdout: string): string[] => [...new Set(comparableOutput(stdout))].toSorted()
      expect.soft(lines(there.stdout), args.join(' ')).toEqual(lines(here.stdout))
      expect(there.code, `${args.join(' ')}\n${there.stdout}${there.stderr}`).toBe(here.code)
    }
    expect((await project.terraform(['output', '-raw', 'both'])).stdout).toBe((await terraform(local, ['output', '-raw', 'both'])).stdout)
  })

  it('a saved plan is shown and applied as it was, once', async () => {
    const project = await makeProject(server(), {
      name: 'saved',
      files: { 'main.tf': 'resource "terraform_data" "time" { input = timestamp() }' },
    })
    await project.terraform(['init'])
    expect((await project.terraform(['plan', '-out=tfplan'])).code).toBe(0)
    const [saved] = await project.runs()
    expect(saved?.attributes['status']).toBe('planned_and_saved')
    expect((await project.workspace()).attributes['locked']).toBe(false)

    const shown = await project.terraform(['show', '-no-color', 'tfplan'])
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('# terraform_data.time will be created') })
    expect(shown.stdout).toContain('planned and saved (confirmable)')
    const json = await project.terraform(['show', '-json', 'tfplan'])
    expect(JSON.parse(json.stdout)).toMatchObject({ format_version: '1.2', resource_changes: [{ address: 'terraform_data.time' }] })

    expect(await project.terraform(['apply', '-no-color', 'tfplan'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Apply complete! Resources: 1 added'),
    })
    expect((await project.run(saved?.id ?? '')).attributes['status']).toBe('applied')
    expect(await project.terraform(['apply', '-no-color', 'tfplan'])).toMatchObject({ code: 1, stderr: expect.stringContaining('already') })
  })

  it('R033: a saved plan that is older than the state is refused', async () => {
    const project = await makeProject(server(), { name: 'stale', files: { 'main.tf': 'resource "terraform_data" "a" {}' } })
    await project.terraform(['init'])
    expect((await project.terraform(['plan', '-out=tfplan'])).code).toBe(0)
    expect((await project.terraform(['apply', '-auto-approve'])).code).toBe(0)
    expect((await project.terraform(['apply', 'tfplan'])).code).toBe(1)
    expect(await project.resources()).toHaveLength(1)
  })

  it('the variables of the workspace reach the run, sensitive ones unread', async () => {
    const project = await makeProject(server(), {
      name: 'variables',
      files: {
        'main.tf': `
variable "map" { type = map(number) }
variable "text" { type = string }
variable "password" {
  type      = string
  sensitive = true
}
resource "terraform_data" "shell" {
  provisioner "local-exec" {
    command = "echo from the environment: $GREETING; echo password: $PASSWORD"
  }
}
output "map" { value = var.map }
output "text" { value = var.text }
output "length" { value = nonsensitive(length(var.password)) }
`,
      },
    })
    await project.terraform(['init'])
    const { id } = await project.workspace()
    const variables = [
      { key: 'map', value: '{ a = 1, b = 2 }', category: 'terraform', hcl: true },
      { key: 'text', value: 'not ${interpolated} %{ here', category: 'terraform' },
      { key: 'password', value: 'swordfish-\n-über', category: 'terraform', sensitive: true },
      { key: 'GREETING', value: 'hello "world"', category: 'env' },
      { key: 'PASSWORD', value: 'opensesame-42', category: 'env', sensitive: true },
    ]
    for (const attributes of variables) await server().api.call('POST', `workspaces/${id}/vars`, { type: 'vars', attributes })
    const { code, stdout } = await project.terraform(['apply', '-auto-approve', '-no-color'])
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('from the environment: hello "world"')
    expect(stdout).not.toContain('opensesame-42')
    const outputs = JSON.parse((await project.terraform(['output', '-json'])).stdout)
    expect(outputs).toMatchObject({ map: { value: { a: 1, b: 2 } }, text: { value: 'not ${interpolated} %{ here' }, length: { value: 16 } })
  })
})
