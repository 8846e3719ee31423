import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeProviderMirror } from '../conformance/make-provider-mirror.ts'
import type { Resource } from '../harness/api-client.ts'
import { type Project, makeDirectory, makeProject } from '../harness/project.ts'
import { type TestServer, serverOfFile, serverOfTest } from '../harness/terrane-server.ts'
import { buildTofu } from './build-tofu.ts'

const server = serverOfFile()

/** A workspace for tofu that no CLI has seen. */
const workspaceOf = async (on: TestServer, name: string): Promise<Project> => {
  const project = await makeProject(on, { name, files: {} })
  await on.api.call('POST', 'organizations/e2e/workspaces', { type: 'workspaces', attributes: { name, engine: 'tofu' } })
  return project
}

const planId = ({ relationships }: Resource): string => {
  const data = relationships?.['plan']?.data
  return data === null || data === undefined || Array.isArray(data) ? '' : data.id
}

/** The run at its end, with its logs. */
const applied = async (project: Project, files: Record<string, string>, attributes: Record<string, unknown> = {}) => {
  const { id } = await project.uploadAndRun(files, { 'auto-apply': true, ...attributes })
  const run = await project.runIn(id, 'applied', 'planned_and_finished', 'errored', 'canceled')
  const plan = await project.log(run, 'plan')
  expect(run.attributes['status'], plan).toBe('applied')
  return { run, plan, apply: await project.log(run, 'apply') }
}

/** A program that is `file` in everything but the version that it tells to programs. */
const otherVersion = (file: string, version: string): string =>
  `#!/bin/sh\n[ "$*" = "version -json" ] && exec echo '{"terraform_version": "${version}"}'\nexec ${file} "$@"\n`

const outputsOf = async (project: Project): Promise<Record<string, unknown>> => {
  const { data } = await server().api.call('GET', `workspaces/${(await project.workspace()).id}/current-state-version-outputs`)
  return Object.fromEntries(data.map(({ attributes }) => [attributes['name'], attributes['value']]))
}

const stateOf = async (project: Project, on: TestServer): Promise<Record<string, unknown>> => {
  const { data } = await on.api.call('GET', `workspaces/${(await project.workspace()).id}/current-state-version`)
  return JSON.parse((await on.api.bytes(String(data.attributes['hosted-state-download-url']))).toString('utf8'))
}

describe('a workspace for tofu', () => {
  it('reads .tofu files before .tf files, and the variables of workspace and run', async () => {
    const project = await workspaceOf(server(), 'dot-tofu')
    const { id } = await project.workspace()
    const attributes = { key: 'list', value: '["a", "ü"]', category: 'terraform', hcl: true }
    await server().api.call('POST', `workspaces/${id}/vars`, { type: 'vars', attributes })
    const { run, plan, apply } = await applied(
      project,
      {
        'main.tf': 'output "by" { value = "terraform" }\n',
        'main.tofu': `
variable "list" { type = list(string) }
variable "word" { type = string }
resource "terraform_data" "a" { input = var.list }
output "by" { value = "tofu" }
output "list" { value = terraform_data.a.output }
output "word" { value = var.word }
`,
      },
      { variables: [{ key: 'word', value: '"of the run"' }] },
    )
    expect(run.attributes).toMatchObject({ engine: 'tofu', 'terraform-version': '1.12.6' })
    expect(plan).toContain('OpenTofu v1.12.6\non linux_amd64\n')
    expect(apply).toContain('OpenTofu v1.12.6\non linux_amd64\n')
    expect(await outputsOf(project)).toEqual({ by: 'tofu', list: ['a', 'ü'], word: 'of the run' })
    expect(await stateOf(project, server())).toMatchObject({ version: 4, terraform_version: '1.12.6' })
    expect(JSON.parse(await server().api.follow(`plans/${planId(run)}/json-output`))).toMatchObject({ terraform_version: '1.12.6' })
  })

  it('may have .tofu files only', async () => {
    const project = await workspaceOf(server(), 'only-tofu')
    await applied(project, { 'main.tofu': 'resource "terraform_data" "a" {}\n' })
    expect(await project.resources()).toEqual([{ address: 'terraform_data.a', isTainted: false }])
    const { id } = await project.uploadAndRun({ 'main.tofu': 'resource "terraform_data" "a" {}\n' })
    expect((await project.runIn(id, 'planned_and_finished', 'errored')).attributes['has-changes']).toBe(false)
  })

  it.each([
    [
      'a cloud block',
      {
        'cloud.tofu':
          'terraform {\n  cloud {\n    hostname = "elsewhere.test"\n    organization = "o"\n    workspaces { name = "w" }\n  }\n}',
      },
    ],
    ['an override file', { 'a_override.tofu': 'terraform {\n  backend "local" {\n    path = "/tmp/elsewhere.tfstate"\n  }\n}' }],
    [
      'an override file of the name of ours',
      { 'zzzz_terrane_override.tofu': 'terraform {\n  backend "local" {\n    path = "/tmp/elsewhere.tfstate"\n  }\n}' },
    ],
  ])('keeps its state here, whatever %s says', async (what, files) => {
    const project = await workspaceOf(server(), `kept-${what.length}`)
    await applied(project, { 'main.tf': 'resource "terraform_data" "a" {}\n', ...files })
    expect(await project.resources()).toHaveLength(1)
  })

  it('keeps a state that its configuration encrypts, and goes on with it', async () => {
    const project = await workspaceOf(server(), 'encrypted')
    const files = {
      'main.tofu': `
variable "passphrase" {
  type    = string
  default = "correct-horse-battery-staple"
}
terraform {
  encryption {
    key_provider "pbkdf2" "k" {
      passphrase = var.passphrase
      iterations = 200000
    }
    method "aes_gcm" "m" { keys = key_provider.pbkdf2.k }
    state {
      method   = method.aes_gcm.m
      enforced = true
    }
  }
}
resource "terraform_data" "a" { input = "secret of the state" }
`,
    }
    await applied(project, files)
    const state = await stateOf(project, server())
    expect(state).toMatchObject({ encrypted_data: expect.any(String), lineage: expect.any(String) })
    const { id } = await project.uploadAndRun(files)
    expect((await project.runIn(id, 'planned_and_finished', 'errored')).attributes).toMatchObject({
      status: 'planned_and_finished',
      'has-changes': false,
    })
    await applied(project, files, { 'is-destroy': true })
  })
})

describe('tofu with providers', () => {
  let mirror: string
  let cliConfigFile: string
  beforeAll(async () => {
    mirror = await mkdtemp(join(tmpdir(), 'terrane-tofu-mirror-'))
    // As root the engines run as other users.
    await chmod(mirror, 0o755)
    cliConfigFile = await makeProviderMirror(mirror, 'registry.opentofu.org')
    return () => rm(mirror, { recursive: true, force: true })
  })

  it('takes them from its own registry, with one lock file for plan and apply', async () => {
    const on = await serverOfTest({ args: ['--engine-cli-config', cliConfigFile] })
    const project = await workspaceOf(on, 'providers')
    const configuration = 'resource "null_resource" "a" {}\nresource "random_pet" "b" {}\n'
    await applied(project, { 'main.tf': configuration })
    const { resources } = (await stateOf(project, on)) as { resources: { provider: string }[] }
    expect(resources.map(({ provider }) => provider)).toEqual([
      'provider["registry.opentofu.org/hashicorp/null"]',
      'provider["registry.opentofu.org/hashicorp/random"]',
    ])
    const lock = 'provider "registry.opentofu.org/hashicorp/null" {\n  version = "3.2.3"\n}\n'
    const { id } = await project.uploadAndRun({ 'main.tf': configuration, '.terraform.lock.hcl': lock })
    const refused = await project.runIn(id, 'errored', 'applied', 'planned')
    expect(await project.log(refused, 'plan')).toMatch(/3\.2\.3|locked provider/)
    expect(refused.attributes['status']).toBe('errored')
  })
})

describe('both engines on one server', () => {
  it('execute their own workspaces, and a workspace that changes over', async () => {
    const files = { 'main.tf': 'resource "terraform_data" "a" {\n  input = timestamp()\n}\n' }
    const tofu = await makeProject(server(), { name: 'by-tofu', files, program: 'tofu' })
    const terraform = await makeProject(server(), { name: 'by-terraform', files })
    for (const project of [tofu, terraform]) {
      const ended = await project.terraform(['init', '-no-color'])
      expect(ended.code, ended.stderr).toBe(0)
    }
    const [one, other] = await Promise.all([tofu, terraform].map((project) => project.terraform(['apply', '-no-color', '-auto-approve'])))
    expect(one?.stdout).toContain('OpenTofu v1.12.6')
    expect(other?.stdout).toContain('Terraform v1.11.4')
    expect((await terraform.workspace()).attributes).toMatchObject({ engine: 'terraform', 'terraform-version': '1.11.4' })

    const { id } = await terraform.workspace()
    await server().api.call('PATCH', `workspaces/${id}`, { type: 'workspaces', attributes: { engine: 'tofu' } })
    await applied(terraform, files)
    expect(await stateOf(terraform, server())).toMatchObject({ terraform_version: '1.12.6' })
  })
})

describe('tofu in another version than the one of the server', () => {
  it('is told the version that its new workspace has and is run by, and changes the state of that only when told to', async () => {
    const directory = await makeDirectory({ tofu: otherVersion(await buildTofu(), '1.11.9') })
    await chmod(directory, 0o755)
    await chmod(join(directory, 'tofu'), 0o755)
    const on = await serverOfTest({ env: { PATH: [directory, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter) } })
    const project = await makeProject(on, { name: 'older', files: { 'main.tf': 'resource "terraform_data" "a" {}\n' }, program: 'tofu' })
    const init = await project.terraform(['init', '-no-color'])
    expect(init.code, init.stderr).toBe(0)
    expect(`${init.stdout}${init.stderr}`).toMatch(/1\.12\.6.*not available|not available.*1\.12\.6/is)
    expect((await project.workspace()).attributes).toMatchObject({ engine: 'tofu', 'terraform-version': '1.11.9' })
    const applied = await project.terraform(['apply', '-auto-approve', '-no-color'])
    expect(applied.code, applied.stderr).toBe(0)
    expect(applied.stdout).toContain('OpenTofu v1.11.9')
    const remove = (...options: string[]) => project.terraform(['state', 'rm', '-no-color', ...options, 'terraform_data.a'])
    expect(await remove()).toMatchObject({ code: 1, stderr: expect.stringContaining('1.11.0') })
    expect((await remove('-ignore-remote-version')).code).toBe(0)
  })
})
