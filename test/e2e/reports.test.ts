import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { comparableOutput } from '../harness/comparable-output.ts'
import { startCuttingProxy } from '../harness/cutting-proxy.ts'
import { logText } from '../harness/log-lines.ts'
import { type Project, makeDirectory, makeProject } from '../harness/project.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { startSlowState } from '../harness/slow-state.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { serverOfFile, serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'

const server = serverOfFile()

/** Reads the outputs of `workspace` of `organization`, as a plan can do it, and once more as only the apply can. */
const reading = (workspace: string, organization = 'e2e', hostname = server().hostname) => `
data "terraform_remote_state" "planned" {
  backend = "remote"
  config = {
    hostname     = "${hostname}"
    organization = "${organization}"
    workspaces   = { name = "${workspace}" }
  }
}
resource "terraform_data" "first" {}
data "terraform_remote_state" "applied" {
  backend    = "remote"
  depends_on = [terraform_data.first]
  config = {
    hostname     = "${hostname}"
    organization = "${organization}"
    workspaces   = { name = "${workspace}" }
  }
}
output "planned" { value = data.terraform_remote_state.planned.outputs.word }
output "applied" { value = data.terraform_remote_state.applied.outputs.word }
`

/** Applied by a run of its own, with `main.tf`; answers the run at its end and what the phase in which it ended said. */
const runOf = async (project: Project, main: string) => {
  const { id } = await project.uploadAndRun({ 'main.tf': main }, { 'auto-apply': true })
  const run = await project.runIn(id, 'applied', 'planned_and_finished', 'errored')
  const phase = run.attributes['status'] === 'applied' ? 'apply' : 'plan'
  return { run, log: logText(await project.log(run, phase)) }
}

const newProject = async (name: string): Promise<Project> => {
  const project = await makeProject(server(), { name, files: {} })
  expect((await project.terraform(['init'])).code).toBe(0)
  return project
}

describe('state sharing', () => {
  it('R068: a run reads the state of another workspace when that shares it, and nothing otherwise', async () => {
    const producer = await newProject('producer')
    expect((await runOf(producer, 'output "word" {\n  value = "from the producer"\n}\n')).run.attributes['status']).toBe('applied')
    const { id: producerId } = await producer.workspace()
    const consumer = await newProject('consumer')
    const { id: consumerId } = await consumer.workspace()
    const share = (attributes: Record<string, unknown>) =>
      server().api.call('PATCH', `workspaces/${producerId}`, { type: 'workspaces', attributes })
    const consumers = [{ type: 'workspaces', id: consumerId }]

    const off = await runOf(consumer, reading('producer'))
    expect(off.run.attributes['status']).toBe('errored')
    expect(off.log).toContain('resource not found')
    const workspaces = await server().api.call('GET', 'organizations/e2e/workspaces')
    expect(workspaces.data.map(({ attributes }) => attributes['name']).toSorted()).toEqual(['consumer', 'producer'])

    await server().api.call('POST', `workspaces/${producerId}/relationships/remote-state-consumers`, consumers)
    const named = await runOf(consumer, reading('producer'))
    expect(named.run.attributes['status'], named.log).toBe('applied')
    const outputs = JSON.parse((await consumer.terraform(['output', '-json'])).stdout)
    expect(outputs).toMatchObject({ planned: { value: 'from the producer' }, applied: { value: 'from the producer' } })

    await server().api.call('PATCH', `workspaces/${producerId}/relationships/remote-state-consumers`, [])
    expect((await runOf(consumer, reading('producer'))).log).toContain('resource not found')

    await share({ 'global-remote-state': true })
    const shared = await runOf(consumer, reading('producer'))
    expect(shared.run.attributes['status'], shared.log).toBe('planned_and_finished')

    await server().api.call('POST', 'organizations', { type: 'organizations', attributes: { name: 'elsewhere', email: 'e@example.com' } })
    const attributes = { name: 'theirs', 'global-remote-state': true }
    await server().api.call('POST', 'organizations/elsewhere/workspaces', { type: 'workspaces', attributes })
    const other = await runOf(consumer, reading('theirs', 'elsewhere'))
    expect(other.run.attributes['status']).toBe('errored')
    expect(other.log).toMatch(/not found/)
  })
})

const makeOrganization = () =>
  server().api.raw('POST', 'organizations', { type: 'organizations', attributes: { name: 'e2e', email: 'e2e@example.com' } })

const makeWorkspace = (attributes: Record<string, unknown>, relationships?: Record<string, unknown>) =>
  server().api.call('POST', 'organizations/e2e/workspaces', {
    type: 'workspaces',
    attributes,
    ...(relationships === undefined ? {} : { relationships }),
  })

const cloudBlock = (workspaces: string): string => `terraform {
  cloud {
    hostname     = "${server().hostname}"
    organization = "e2e"
    workspaces {
      ${workspaces}
    }
  }
}
`

describe('the working directory', () => {
  it('R010: of the workspace is where the run happens; what is above it is uploaded too', async () => {
    await makeOrganization()
    const { data } = await makeWorkspace({ name: 'above', 'working-directory': 'staging' })
    const root = await makeDirectory({
      'staging/main.tf': `${cloudBlock('name = "above"')}module "b" {\n  source = "../modules/bucket"\n}\noutput "b" {\n  value = module.b.word\n}\n`,
      'modules/bucket/main.tf': 'output "word" {\n  value = "from above"\n}\n',
    })
    const staging = join(root, 'staging')
    const options = { cliConfigFile: server().cliConfigFile }
    expect((await terraform(staging, ['init'], options)).code).toBe(0)
    const plan = await terraform(staging, ['plan', '-no-color'], options)
    expect(plan, plan.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('b = "from above"') })

    await server().api.call('PATCH', `workspaces/${data.id}`, { type: 'workspaces', attributes: { 'working-directory': 'nowhere' } })
    const lost = await terraform(staging, ['plan', '-no-color'], options)
    expect(lost.code).toBe(1)
    expect(lost.stdout.match(/The working directory "nowhere" does not exist/g)).toHaveLength(1)
  })
})

describe('links in the uploaded folder', () => {
  it('R004: a file behind two links is in the plan', async () => {
    await makeOrganization()
    await makeWorkspace({ name: 'linked', 'working-directory': 'app/ws1' })
    const root = await makeDirectory({
      'common.tf': 'resource "terraform_data" "common" {}\noutput "word" {\n  value = "common"\n}\n',
      'app/common/.keep': '',
      'app/ws1/cloud.tf': cloudBlock('name = "linked"'),
    })
    await symlink('../../common.tf', join(root, 'app/common/common.tf'))
    await symlink('../common/common.tf', join(root, 'app/ws1/common.tf'))
    const directory = join(root, 'app/ws1')
    const options = { cliConfigFile: server().cliConfigFile }
    expect((await terraform(directory, ['init'], options)).code).toBe(0)
    const plan = await terraform(directory, ['plan', '-no-color'], options)
    expect(plan, plan.stdout + plan.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('word = "common"') })
    expect(plan.stdout).toContain('terraform_data.common will be created')
  })
})

describe('tags in the cloud block', () => {
  it('R054: of both forms find the workspaces that have all of them, and mark new ones', async () => {
    await makeOrganization()
    const bindings: Record<string, Record<string, string>> = {
      'tagged-one': { core: '', env: 'prod' },
      'tagged-two': { core: '' },
      'tagged-three': { env: 'prod' },
    }
    for (const [name, tags] of Object.entries(bindings)) {
      const data = Object.entries(tags).map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } }))
      await makeWorkspace({ name }, { 'tag-bindings': { data } })
    }
    const forms: [name: string, block: string, found: string[], tags: string[]][] = [
      ['list', 'tags = ["core", "env"]', ['tagged-one'], ['core', 'env']],
      ['map', 'tags = { env = "prod" }', ['tagged-one', 'tagged-three'], ['env']],
    ]
    for (const [name, block, found, tags] of forms) {
      const directory = await makeDirectory({ 'main.tf': `${cloudBlock(block)}resource "terraform_data" "a" {}\n` })
      const run = (args: string[], workspace?: string) =>
        terraform(directory, args, {
          cliConfigFile: server().cliConfigFile,
          env: workspace === undefined ? {} : { TF_WORKSPACE: workspace },
        })
      const init = await run(['init'], 'tagged-one')
      expect(init.code, init.stderr).toBe(0)
      const plan = await run(['plan', '-no-color'], 'tagged-one')
      expect(plan, plan.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('1 to add') })
      expect((await run(['workspace', 'select', 'tagged-one'])).code).toBe(0)
      const listed = (await run(['workspace', 'list'])).stdout.split('\n').flatMap((line) => /^[* ] (\S+)$/.exec(line)?.[1] ?? [])
      expect(listed.toSorted()).toEqual(found.toSorted())
      const made = await run(['workspace', 'new', `tagged-new-${name}`])
      expect(made.code, made.stderr).toBe(0)
      const { data } = await server().api.call('GET', `organizations/e2e/workspaces/tagged-new-${name}`)
      expect(data.attributes['tag-names']).toEqual(tags)
      const planned = await run(['plan', '-no-color'])
      expect(planned.code, planned.stderr).toBe(0)
      await server().api.raw('DELETE', `workspaces/${data.id}`)
    }
  })
})

describe('a network that comes and goes', () => {
  it('R057: costs a CLI that waits nothing: no error, no gap, no repeat', async () => {
    const [proxy, slow, effects] = [await startCuttingProxy(), await startSlowState(), await makeSideEffects()]
    const behind = await serverOfTest({ args: ['--public-url', proxy.url] })
    proxy.to(behind.url)
    const configuration = `${slow.configuration()}${effects.configuration({ steps: 3, gates: [1], lines: 40 })}`
    const project = await makeProject(behind, { name: 'cut', files: { 'main.tf': configuration } })
    expect((await project.terraform(['init'])).code).toBe(0)
    const { id } = await project.workspace()
    await behind.api.call('POST', `workspaces/${id}/actions/lock`)
    const apply = await project.start(['apply', '-auto-approve', '-no-color'])
    await apply.sees('Waiting for the manually locked workspace to be unlocked')

    // Calls of the API are repeated by the CLI.
    proxy.cut()
    await waitFor(() => proxy.refused() >= 4, { timeoutMs: 30_000, what: 'the CLI to call again' })
    proxy.mend()
    await behind.api.call('POST', `workspaces/${id}/actions/unlock`)

    // Reads of a log are not, so there it outlives a network that stands still, and nothing else.
    // Now and then the CLI asks for the status between two reads; were it told the end then, it would not read on (protocol, log streaming).
    const duringSilence = async (happens: () => Promise<unknown>): Promise<void> => {
      await waitFor(
        async () => {
          proxy.stall()
          const held = await waitFor(() => (proxy.held().length > 0 ? proxy.held() : undefined), { timeoutMs: 30_000 })
          const isRead = held.every((line) => /^GET \S*limit=\d+&offset=\d+ /.test(line))
          if (!isRead) proxy.mend()
          return isRead
        },
        { timeoutMs: 60_000, what: 'the CLI to wait for a part of the log' },
      )
      await happens()
      proxy.mend()
    }
    await waitFor(() => slow.requests() === 1, { timeoutMs: 30_000, what: 'the plan to read its data source' })
    const [run] = await project.runs()
    await duringSilence(async () => {
      slow.open()
      await effects.begun(1)
    })
    await apply.sees('step 1 line 39')
    await duringSilence(async () => {
      await effects.open(1)
      await project.runIn(run?.id ?? '', 'applied')
    })

    const { code, stdout, stderr } = await apply.ended
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toContain('Apply complete! Resources: 4 added')
    const lines = stdout.split('\n').flatMap((line) => /\(local-exec\): (step .*)$/.exec(line)?.[1] ?? [])
    expect(lines).toEqual([0, 1, 2].flatMap((step) => Array.from({ length: 40 }, (_, line) => `step ${step} line ${line}`)))
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 1 })
  })
})

describe('long output', () => {
  it('R059: of 2,000 resources reaches the CLI as from a local run', async () => {
    const files = { 'main.tf': `resource "terraform_data" "many" {\n  count = 2000\n  input = "\${count.index} ${'y'.repeat(200)}"\n}\n` }
    const project = await makeProject(server(), { name: 'many', files, by: 'remote' })
    const local = await makeDirectory(files)
    await project.terraform(['init'])
    await terraform(local, ['init'])
    const [there, here] = [await project.terraform(['plan']), await terraform(local, ['plan'])]
    expect(there.code, there.stderr).toBe(0)
    const [lines, expected] = [comparableOutput(there.stdout), comparableOutput(here.stdout)]
    expect(lines.length).toBeGreaterThan(8000)
    expect(lines.findIndex((line, index) => line !== expected[index])).toBe(-1)
    expect(lines.length).toBe(expected.length)
  })

  it('R061: in one line of 300,000 characters is rendered, and so is what comes after it', async () => {
    const long = 'z'.repeat(300_000)
    const main = `
resource "terraform_data" "long" {
  input = "${long}"
}
resource "terraform_data" "after" {
  depends_on = [terraform_data.long]
  provisioner "local-exec" {
    command = "echo tail-line"
  }
}
output "long" {
  value = terraform_data.long.output
}
`
    const project = await makeProject(server(), { name: 'long', files: { 'main.tf': main } })
    await project.terraform(['init'])
    const { code, stdout } = await project.terraform(['apply', '-auto-approve', '-no-color'])
    expect(code).toBe(0)
    expect(stdout.includes(`+ input  = "${long}"`)).toBe(true)
    expect(stdout.includes(`long = "${long}"`)).toBe(true)
    expect(stdout).toContain('(local-exec): tail-line')
  })
})

describe('execution mode local', () => {
  it('R018, R020: of an apply that was killed the finished resources are kept, and its lock is taken away by force', async () => {
    const effects = await makeSideEffects()
    // Terraform takes no snapshot before 20 seconds have passed.
    const files = { 'main.tf': effects.configuration({ steps: 3, gates: [2], seconds: { 1: 21 } }) }
    const project = await makeProject(server(), { name: 'killed', files })
    expect((await project.terraform(['init'])).code).toBe(0)
    const { id } = await project.workspace()
    await server().api.call('PATCH', `workspaces/${id}`, { type: 'workspaces', attributes: { 'execution-mode': 'local' } })
    const apply = await project.start(['apply', '-auto-approve', '-no-color'])
    await effects.begun(2)
    apply.signal('SIGKILL')
    await apply.ended
    const blocked = await project.terraform(['plan', '-no-color'])
    expect(blocked).toMatchObject({ code: 1, stderr: expect.stringContaining('Error acquiring the state lock') })
    expect((await project.terraform(['force-unlock', '-force', 'e2e/killed'])).code).toBe(0)
    expect((await project.resources()).map(({ address }) => address)).toEqual(['terraform_data.step0', 'terraform_data.step1'])
    await effects.open(2)
    expect((await project.terraform(['apply', '-auto-approve'])).code).toBe(0)
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 2 })
  })
})

describe('state sharing over TLS', () => {
  it('R068: the engine of a run trusts the authority of the server', async () => {
    const secure = await serverOfTest({ isTls: true })
    const producer = await makeProject(secure, { name: 'producer', files: {} })
    await producer.terraform(['init'])
    const produced = await producer.uploadAndRun({ 'main.tf': 'output "word" {\n  value = "over TLS"\n}\n' }, { 'auto-apply': true })
    await producer.runIn(produced.id, 'applied', 'errored')
    const attributes = { 'global-remote-state': true }
    await secure.api.call('PATCH', `workspaces/${(await producer.workspace()).id}`, { type: 'workspaces', attributes })
    const consumer = await makeProject(secure, { name: 'consumer', files: {} })
    await consumer.terraform(['init'])
    const { id } = await consumer.uploadAndRun({ 'main.tf': reading('producer', 'e2e', secure.hostname) }, { 'auto-apply': true })
    const run = await consumer.runIn(id, 'applied', 'errored')
    expect(run.attributes['status'], await consumer.log(run, 'plan')).toBe('applied')
    expect((await consumer.terraform(['output', '-raw', 'applied'])).stdout).toBe('over TLS')
  })
})
