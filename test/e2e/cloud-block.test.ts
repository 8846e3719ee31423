import { describe, expect, it } from 'vitest'
import { comparableOutput } from '../harness/comparable-output.ts'
import { makeDirectory, makeProject } from '../harness/project.ts'
import { type CliResult, terraform } from '../harness/terraform-cli.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const server = serverOfFile()

const files = {
  'main.tf': `
variable "secret" {
  type      = string
  sensitive = true
  default   = "correct horse"
}
variable "size" {
  type    = number
  default = 1
}
module "café" {
  source = "./modules/greeting"
  name   = "größe ☃ 日本"
}
resource "terraform_data" "secret" {
  input            = length(var.secret)
  triggers_replace = var.size
  depends_on       = [module.café]
  provisioner "local-exec" {
    command = "echo größe; echo two"
  }
}
check "size" {
  assert {
    condition     = var.size < 3
    error_message = "too big"
  }
}
output "secret" {
  value     = var.secret
  sensitive = true
}
output "greeting" {
  value = module.café.greeting
}
`,
  'modules/greeting/main.tf': `
variable "name" { type = string }
resource "terraform_data" "name" {
  input = var.name
}
output "greeting" {
  value = "hello \${terraform_data.name.output}"
}
`,
}

const question = "Only 'yes' will be accepted"

describe('cloud block', () => {
  it('plans, declines, applies, reads and destroys as without a server', async () => {
    const project = await makeProject(server(), { name: 'story', files })
    const local = await makeDirectory(files)
    /** The same command here and there: exit code and text are the same. */
    const both = async (
      args: string[],
      { input, sorted = false }: { input?: string; sorted?: boolean } = {},
    ): Promise<[CliResult, CliResult]> => {
      const options = input === undefined ? {} : { input }
      const [there, here] = [await project.terraform(args, options), await terraform(local, args, options)]
      const order = (lines: string[]): string[] => (sorted ? lines.toSorted() : lines)
      expect.soft(order(comparableOutput(there.stdout)), `stdout of ${args.join(' ')}`).toEqual(order(comparableOutput(here.stdout)))
      expect.soft(comparableOutput(there.stderr), `stderr of ${args.join(' ')}`).toEqual(comparableOutput(here.stderr))
      expect(there.code, `exit code of ${args.join(' ')}\n${there.stdout}\n${there.stderr}`).toBe(here.code)
      return [there, here]
    }

    expect((await project.terraform(['init'])).code).toBe(0)
    expect((await terraform(local, ['init'])).code).toBe(0)
    const [planned] = await both(['plan'])
    expect(planned.stdout).toContain('\u001b[32m+\u001b[0m')
    await both(['plan', '-detailed-exitcode', '-no-color', '-var=size=2'])

    const declined = await project.terraform(['apply'], { input: 'no\n' })
    expect(declined).toMatchObject({ code: 1, stderr: expect.stringContaining('Apply discarded') })
    expect((await project.runs())[0]?.attributes['status']).toBe('discarded')
    expect((await project.workspace()).attributes['locked']).toBe(false)

    await both(['apply'], { input: 'yes\n' })
    expect((await project.runs())[0]?.attributes['status']).toBe('applied')
    for (const args of [
      ['output'],
      ['output', '-json'],
      ['output', '-raw', 'secret'],
      ['state', 'list'],
      ['show'],
      ['plan', '-detailed-exitcode'],
    ])
      await both(args)

    // A warning comes before the plan in a log of JSON lines, and after it in text.
    await both(['plan', '-var=size=5'], { sorted: true })
    await both(['apply', '-auto-approve', '-var=size=2'])
    const pulled = await project.terraform(['state', 'pull'])
    const { data } = await server().api.call('GET', `workspaces/${(await project.workspace()).id}/current-state-version`)
    expect(pulled.stdout.trimEnd()).toBe(
      (await server().api.bytes(String(data.attributes['hosted-state-download-url']))).toString('utf8').trimEnd(),
    )

    await both(['destroy'], { input: 'yes\n' })
    await both(['state', 'list'])
    expect(await project.resources()).toEqual([])
  })

  it('R066: keeps every kind of output value', async () => {
    const files = {
      'main.tf': `
output "o" {
  value = { a = null, "x@y" = 1, "ключ" = [true, null], "" = {}, big = 12345678901234567890 }
}
${Array.from({ length: 120 }, (_, index) => `output "o${index}" { value = ${index} }`).join('\n')}
`,
    }
    const project = await makeProject(server(), { name: 'outputs', files })
    const local = await makeDirectory(files)
    for (const args of [['init'], ['apply', '-auto-approve']]) {
      expect((await project.terraform(args)).code).toBe(0)
      expect((await terraform(local, args)).code).toBe(0)
    }
    expect((await project.terraform(['output'])).stdout.replace('12345678901234567000', '12345678901234567890')).toBe(
      (await terraform(local, ['output'])).stdout,
    )
    // The CLI itself rounds a number that it gets from a server; the answer has it whole.
    const { text } = await server().api.raw('GET', `workspaces/${(await project.workspace()).id}/current-state-version-outputs`)
    expect(text).toMatch(/"big": ?12345678901234567890/)
  })

  it('R059: shows 10,000 lines of a provisioner, all of them in order', async () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => `line ${index} äöü`)
    const project = await makeProject(server(), {
      name: 'lines',
      files: {
        'main.tf': `
resource "terraform_data" "lines" {
  provisioner "local-exec" {
    command = "i=0; while [ $i -lt 10000 ]; do echo \\"line $i äöü\\"; i=$((i+1)); done"
  }
}
`,
      },
    })
    await project.terraform(['init'])
    const { code, stdout } = await project.terraform(['apply', '-auto-approve', '-no-color'])
    expect(code).toBe(0)
    expect(stdout.split('\n').flatMap((line) => /\(local-exec\): (line .*)$/.exec(line)?.[1] ?? [])).toEqual(numbers)
  })

  it('asks before it applies, and shows what is approved or discarded elsewhere', async () => {
    const project = await makeProject(server(), { name: 'elsewhere', files: { 'main.tf': 'resource "terraform_data" "a" {}' } })
    await project.terraform(['init'])
    const discarded = await project.start(['apply', '-no-color'])
    await discarded.sees(question)
    await server().api.call('POST', `runs/${(await project.runs())[0]?.id}/actions/discard`)
    expect(await discarded.ended).toMatchObject({ code: 1, stdout: expect.stringContaining('discarded using the UI or API') })

    const approved = await project.start(['apply', '-no-color'])
    await approved.sees(question)
    await server().api.call('POST', `runs/${(await project.runs())[0]?.id}/actions/apply`)
    const { code, stdout } = await approved.ended
    expect(stdout).toContain('approved using the UI or API')
    expect(stdout).toContain('Apply complete! Resources: 1 added')
    expect(code).toBe(0)
  })
})
