import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { comparableOutput } from '../harness/comparable-output.ts'
import { makeDirectory, makeProject } from '../harness/project.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { type CliResult, terraform } from '../harness/terraform-cli.ts'
import { expectWire } from '../harness/wire.ts'

const server = recordedServerOfFile()

const files = {
  'main.tf': `
variable "word" { default = "größe" }
resource "terraform_data" "a" {
  input = var.word
}
output "a" { value = terraform_data.a.output }
`,
  'tests/word.tftest.hcl': `
variables { word = "two" }
run "holds" {
  command = apply
  assert {
    condition     = output.a == "two"
    error_message = "not two"
  }
}
run "does_not" {
  command = plan
  assert {
    condition     = var.word == "three"
    error_message = "the größe is \${var.word}"
  }
}
`,
}

const words = ({ stdout, stderr }: CliResult): string => stripVTControlCharacters(stdout + stderr).replaceAll(/[\s│╷╵]+/g, ' ')

describe('terraform test', () => {
  it('SEQ-29: runs on this machine, with a cloud block too, and leaves the workspace alone', async () => {
    const [project, local] = [await makeProject(server(), { name: 'tested', files }), await makeDirectory(files)]
    expect((await project.terraform(['init'])).code).toBe(0)
    expect((await terraform(local, ['init'])).code).toBe(0)
    for (const args of [
      ['test'],
      ['test', '-verbose'],
      ['test', '-var=word=one', '-filter=tests/word.tftest.hcl'],
      ['test', '-filter=no'],
    ]) {
      server().taken()
      const [there, here] = [await project.terraform(args), await terraform(local, args)]
      expect(comparableOutput(there.stdout + there.stderr), args.join(' ')).toEqual(comparableOutput(here.stdout + here.stderr))
      expect(there.code).toBe(here.code)
      expectWire(server().taken(), [])
    }
    expect(await project.runs()).toEqual([])
    expect(await project.resources()).toEqual([])
  })
})

/** A CLI that knows the server by a name with a dot, which sources of modules must have. */
const dotted = async (): Promise<string> => {
  const config = join(server().directory, 'dotted.tfrc')
  const service = `host "terrane.example" {\n  services {\n    "tfe.v2" = "https://${server().hostname}/api/v2/"\n  }\n}\n`
  await writeFile(config, `${service}credentials "terrane.example" {\n  token = "${server().adminToken}"\n}\n`)
  return config
}

describe('what needs a private registry, which the server does not have', () => {
  const run = async (directory: string, args: string[], cliConfigFile?: string): Promise<CliResult> =>
    terraform(directory, args, {
      cliConfigFile: cliConfigFile ?? server().cliConfigFile,
      env: { SSL_CERT_FILE: server().caFile ?? '' },
    })

  it('SEQ-29: test -cloud-run says that the module was not found', async () => {
    const directory = await makeDirectory(files)
    const { code, ...said } = await run(directory, ['test', '-cloud-run=terrane.example/e2e/mod/aws'], await dotted())
    expect(code).toBe(1)
    expect(words({ code, ...said })).toContain('Error: Failed to read module "terrane.example/e2e/mod/aws"')
    expect(words({ code, ...said })).toContain('module "terrane.example/e2e/mod/aws" was not found')
  })

  it('SEQ-30: a module or provider of the server’s is refused by init, for the server does not promise a registry', async () => {
    const services = (await (await fetch(`${server().url}/.well-known/terraform.json`)).json()) as Record<string, unknown>
    expect(Object.keys(services).filter((name) => /^(modules|providers)\./.test(name))).toEqual([])

    const module = 'module "m" {\n  source = "terrane.example/e2e/mod/aws"\n}\n'
    const provider = 'terraform {\n  required_providers {\n    p = { source = "terrane.example/e2e/p" }\n  }\n}\n'
    const refusedModule = await run(await makeDirectory({ 'main.tf': module }), ['init'], await dotted())
    expect(refusedModule.code).toBe(1)
    expect(words(refusedModule)).toContain('host terrane.example does not provide a modules service')
    const refusedProvider = await run(await makeDirectory({ 'main.tf': provider }), ['init'], await dotted())
    expect(refusedProvider.code).toBe(1)
    expect(words(refusedProvider)).toContain('"terrane.example/e2e/p" does not offer a Terraform provider registry')

    // The same in a run, and by the name that stands for the server of the cloud block.
    const project = await makeProject(server(), { name: 'registry', files: {} })
    expect((await project.terraform(['init'])).code).toBe(0)
    await project.write({ 'main.tf': module.replace('terrane.example', 'localterraform.com') })
    const aliased = await project.terraform(['init'])
    expect(aliased.code).toBe(1)
    expect(words(aliased)).toContain(`from localterraform.com: host ${server().hostname} does not provide a modules service`)
    const { id } = await project.uploadAndRun({ 'main.tf': module.replace('terrane.example', 'localterraform.com') })
    const log = await project.log(await project.runIn(id, 'errored'), 'plan')
    expect(log).toContain('from localterraform.com: host localterraform.com does not provide a modules service')
  })
})
