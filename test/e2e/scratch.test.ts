import { it } from 'vitest'
import { comparableOutput } from '../harness/comparable-output.ts'
import { makeDirectory, makeProject } from '../harness/project.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { serverOfFile } from '../harness/terrane-server.ts'
import { writeFile } from 'node:fs/promises'
const server = serverOfFile()
const diff = (a: string[], b: string[]) => {
  const A = new Set(a), B = new Set(b)
  return [...a.filter((l) => !B.has(l)).map((l) => 'REMOTE ' + l), ...b.filter((l) => !A.has(l)).map((l) => 'LOCAL  ' + l)].join('\n')
}
const steps: [string, string, string[][]][] = [
  ['ephemeral', `
variable "secret" {
  type = string
  ephemeral = true
}
variable "plain" {
  type = string
  default = "p"
}
resource "terraform_data" "a" {
  input = var.plain
  provisioner "local-exec" {
    command = "echo len \${length(var.secret)}"
  }
}
`, [['plan', '-var=secret=hush'], ['apply', '-auto-approve', '-var=secret=hush', '-var=plain=q']]],
  ['moved', `
resource "terraform_data" "a" { input = 1 }
resource "terraform_data" "b" { count = 2 }
output "ws" { value = terraform.workspace }
`, [['apply', '-auto-approve']]],
  ['moved', `
resource "terraform_data" "z" { input = 1 }
moved {
  from = terraform_data.a
  to = terraform_data.z
}
removed {
  from = terraform_data.b
  lifecycle { destroy = false }
}
`, [['plan', '-detailed-exitcode'], ['apply', '-auto-approve']]],
  ['cond', `
variable "n" { default = 1 }
resource "terraform_data" "a" {
  input = var.n
  lifecycle {
    precondition {
      condition = var.n < 5
      error_message = "too big: \${var.n}"
    }
    postcondition {
      condition = self.output != 3
      error_message = "not three"
    }
  }
}
resource "terraform_data" "cbd" {
  triggers_replace = var.n
  lifecycle { create_before_destroy = true }
}
resource "terraform_data" "trig" {
  lifecycle { replace_triggered_by = [terraform_data.a] }
}
check "c" {
  assert {
    condition = terraform_data.a.output != 2
    error_message = "two is odd"
  }
}
output "s" {
  value = provider::terraform::encode_tfvars({ a = var.n })
}
`, [['apply', '-auto-approve'], ['plan', '-var=n=2'], ['apply', '-auto-approve', '-var=n=2'], ['apply', '-auto-approve', '-var=n=3'], ['plan', '-var=n=7'], ['destroy', '-auto-approve'], ['plan', '-var=nope=1'], ['plan', '-refresh-only', '-destroy'], ['plan', '-target=terraform_data.nope'], ['plan', '-replace=terraform_data.a']]],
  ['prevent', `
resource "terraform_data" "a" {
  input = { list = [1, 2, "x"], text = <<-EOT
    one
    two
  EOT
  }
  lifecycle { prevent_destroy = true }
}
`, [['apply', '-auto-approve'], ['destroy', '-auto-approve'], ['plan', '-destroy']]],
  ['imports', `
import {
  for_each = toset(["x", "y"])
  to = terraform_data.i[each.key]
  id = "id-\${each.key}"
}
resource "terraform_data" "i" { for_each = toset(["x", "y"]) }
`, [['plan'], ['apply', '-auto-approve']]],
  ['json', `resource "terraform_data" "a" { input = sensitive("hello") }`, [['plan', '-json'], ['apply', '-auto-approve', '-json'], ['plan', '-no-color', '-compact-warnings'], ['validate'], ['plan', '-lock-timeout=5s'], ['apply', '-auto-approve', '-input=false']]],
  ['empty', ``, [['plan'], ['apply', '-auto-approve'], ['destroy', '-auto-approve'], ['output']]],
  ['noconf', 'locals {\n x = 1\n', [['plan']]],
]
it('look', { timeout: 900_000 }, async () => {
  const projects = new Map<string, [Awaited<ReturnType<typeof makeProject>>, string]>()
  for (const [name, main, commands] of steps) {
    const pair = projects.get(name) ?? [await makeProject(server(), { name, files: {} }), await makeDirectory({})]
    projects.set(name, pair as never)
    const [p, l] = pair as never as [Awaited<ReturnType<typeof makeProject>>, string]
    await p.write({ 'main.tf': main })
    await writeFile(l + '/main.tf', main)
    await p.terraform(['init']); await terraform(l, ['init'])
    for (const args of commands) {
      const [a, b] = [await p.terraform(args), await terraform(l, args)]
      console.log(`#### ${name}: ${args.join(' ')} ${a.code} ${b.code}\n${diff(comparableOutput(a.stdout + a.stderr), comparableOutput(b.stdout + b.stderr))}`)
    }
  }
})
