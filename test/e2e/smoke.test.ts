import { it } from 'vitest'
import { writeFileSync } from 'node:fs'
import { makeProject, makeDirectory } from '../harness/project.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const server = serverOfFile()
const files = {
  'main.tf': `
variable "secret" {
  type = string
  sensitive = true
  default = "hunter2-hunter2"
}
variable "size" {
 type = number
 default = 1
}
module "m" {
  source = "./m"
  name = "größe ☃"
}
resource "terraform_data" "lines" {
  input = var.secret
  triggers_replace = var.size
  depends_on = [module.m]
  provisioner "local-exec" {
    command = "i=1; while [ $i -le 3 ]; do echo \\"line $i äöü\\"; i=$((i+1)); done"
  }
}
check "c" {
 assert {
  condition = var.size < 3
  error_message = "too big"
 }
}
output "secret" {
  value = var.secret
  sensitive = true
}
output "name" { value = module.m.name }
`,
  'm/main.tf': `
variable "name" { type = string }
resource "terraform_data" "x" { input = var.name }
output "name" { value = terraform_data.x.output }
`,
}
it('try', async () => {
  const p = await makeProject(server(), { name: 'try', files })
  const local = await makeDirectory(files)
  const r = await makeProject(server(), { name: 'tryr', files, by: 'remote' })
  let o = ['', '','']
  for (const args of [['init'], ['plan'], ['apply', '-auto-approve'], ['output'], ['output','-json'],['state', 'list'], ['show'],['apply'],['plan', '-var=size=5'], ['plan', '-no-color', '-detailed-exitcode'],['apply', '-input=false'],  ['destroy', '-auto-approve'],['output'],['state','list']]) {
    for (const [i,x] of [await terraform(local, args), await p.terraform(args), await r.terraform(args)].entries())
    o[i] += `=== ${args} ${x.code}\n${x.stdout}--- stderr\n${x.stderr}`
  }
  writeFileSync('/tmp/local.txt', o[0]!)
  writeFileSync('/tmp/cloud.txt', o[1]!)
  writeFileSync('/tmp/remote.txt', o[2]!)
})
