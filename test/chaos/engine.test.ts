import { describe, expect, it } from 'vitest'
import { logText } from '../harness/log-lines.ts'
import { listProcesses } from '../harness/processes.ts'
import { storedBytes } from '../harness/stored-bytes.ts'
import { serverOfFile } from '../harness/terrane-server.ts'
import { makeWorkspace } from './make-workspace.ts'

const server = serverOfFile()

const provisioned = (name: string, command: string, more = ''): string =>
  `resource "terraform_data" "${name}" {\n${more}\n  provisioner "local-exec" {\n    command = ${JSON.stringify(command).replaceAll('${', '$$${')}\n  }\n}\n`

describe('a provisioner', () => {
  it('that daemonises and holds stdout: the apply ends soon after terraform, the daemon is killed', async () => {
    const project = await makeWorkspace(server(), 'daemon')
    const before = performance.now()
    // Terraform waits for the pipe of its provisioner, here as everywhere. This is its own output, held open by the daemon.
    const main = provisioned('a', 'setsid sleep 987 < /dev/null > /proc/$PPID/fd/1 2> /proc/$PPID/fd/2 & echo started')
    const { id } = await project.uploadAndRun({ 'main.tf': main }, { 'auto-apply': true })
    const ended = await project.runIn(id, 'applied', 'errored')
    expect(ended.attributes['status']).toBe('applied')
    expect(performance.now() - before).toBeLessThan(20_000)
    expect((await listProcesses()).filter(({ command }) => command === 'sleep 987')).toEqual([])
    expect(await project.resources()).toEqual([{ address: 'terraform_data.a', isTainted: false }])
  })

  it('that fails in the third resource: what was finished is kept, the error is in the log in the form of the engine', async () => {
    const project = await makeWorkspace(server(), 'third')
    const main = [
      provisioned('one', 'true'),
      provisioned('two', 'true', '  depends_on = [terraform_data.one]'),
      provisioned('three', 'echo no luck >&2; exit 7', '  depends_on = [terraform_data.two]'),
      provisioned('four', 'true', '  depends_on = [terraform_data.three]'),
    ].join('')
    const { id } = await project.uploadAndRun({ 'main.tf': main }, { 'auto-apply': true })
    const errored = await project.runIn(id, 'errored', 'applied')
    expect(errored.attributes['status']).toBe('errored')
    const log = logText(await project.log(errored, 'apply'))
    const diagnostics = log
      .split('\n')
      .filter((line) => line.startsWith('{'))
      // Terraform's machine-readable lines, of which only these fields are read.
      .map((line) => JSON.parse(line) as { type: string; diagnostic?: { severity: string; summary: string } })
      .flatMap(({ diagnostic }) => diagnostic ?? [])
    expect(diagnostics.map(({ summary }) => summary)).toEqual(['local-exec provisioner error'])
    expect(log).not.toContain('In flight')
    expect(await project.resources()).toEqual([
      { address: 'terraform_data.one', isTainted: false },
      { address: 'terraform_data.three', isTainted: true },
      { address: 'terraform_data.two', isTainted: false },
    ])
    expect((await project.workspace()).attributes['locked']).toBe(false)
  })
})

describe('a secret', () => {
  it('that is printed in two writes, in base64 and in an error is nowhere in what the server keeps', async () => {
    const project = await makeWorkspace(server(), 'secret')
    const secret = 'Canary-7f3a91c2d4e8-Secret'
    const { id } = await project.workspace()
    await server().api.call('POST', `workspaces/${id}/vars`, {
      type: 'vars',
      attributes: { key: 'CANARY', value: secret, category: 'env', sensitive: true },
    })
    const command = [
      // Terraform ends the line by itself after a pause of 100 ms.
      'printf "%s" "${CANARY%-Secret}"; printf "%s\\n" "-Secret"',
      'printf "%s" "$CANARY" | base64',
      'echo "in the middle $CANARY of a line"',
      'echo "as an error $CANARY" >&2',
      'exit 3',
    ].join('\n')
    const run = await project.uploadAndRun({ 'main.tf': provisioned('a', command) }, { 'auto-apply': true })
    const errored = await project.runIn(run.id, 'errored', 'applied')
    expect(errored.attributes['status']).toBe('errored')
    const log = logText(await project.log(errored, 'apply'))
    expect(log).toContain('in the middle')
    expect(log).toContain('as an error')
    const forms = [secret, Buffer.from(secret).toString('base64').slice(0, 30), '-7f3a91c2d4e8']
    for (const form of forms) expect(log).not.toContain(form)
    for (const { where, bytes } of await storedBytes(server(), []))
      for (const form of forms) expect(bytes.includes(form), where).toBe(false)
    for (const form of forms) expect(server().stderr()).not.toContain(form)
  })
})

describe('a state that changed between plan and apply', () => {
  it('takes the worth of a saved plan: it is refused and discarded, with the reason', async () => {
    const project = await makeWorkspace(server(), 'stale')
    await project.terraform(['init'])
    const files = { 'main.tf': 'resource "terraform_data" "a" {}\nresource "terraform_data" "b" {}\n' }
    await project.runIn(
      (await project.uploadAndRun({ 'main.tf': 'resource "terraform_data" "a" {}\n' }, { 'auto-apply': true })).id,
      'applied',
    )
    const saved = await project.uploadAndRun(files, { 'save-plan': true })
    await project.runIn(saved.id, 'planned_and_saved')
    await project.write({ 'main.tf': 'resource "terraform_data" "a" {}\n' })
    const tainted = await project.terraform(['taint', 'terraform_data.a'])
    expect(tainted.code, tainted.stderr).toBe(0)
    expect((await server().api.raw('POST', `runs/${saved.id}/actions/apply`)).status).toBe(409)
    await project.runIn(saved.id, 'discarded')
    const events = (await server().api.raw('GET', `runs/${saved.id}/run-events`)).text
    expect(events).toContain('The state of the workspace has changed since')
    expect(await project.resources()).toEqual([{ address: 'terraform_data.a', isTainted: true }])
  })
})

describe('where the configuration says that its state is', () => {
  const resource = 'resource "terraform_data" "a" {}\n'
  it.each([
    [
      's3',
      {
        'main.tf': `terraform {\n  backend "s3" {\n    bucket = "nowhere"\n    key    = "k"\n    region = "eu-central-1"\n  }\n}\n${resource}`,
      },
    ],
    [
      'cloud',
      { 'main.tf': `terraform {\n  cloud {\n    organization = "other"\n    workspaces {\n      name = "x"\n    }\n  }\n}\n${resource}` },
    ],
    [
      'an override',
      { 'main.tf': resource, 'zzzz_override.tf': 'terraform {\n  backend "local" {\n    path = "/tmp/elsewhere.tfstate"\n  }\n}\n' },
    ],
    ['a stale init', { 'main.tf': resource, '.terraform/terraform.tfstate': '{"version":3,"backend":{"type":"s3","config":{},"hash":1}}' }],
    [
      'an override for OpenTofu',
      { 'main.tf': resource, 'a_override.tofu': 'terraform {\n  backend "local" {\n    path = "/tmp/elsewhere.tfstate"\n  }\n}\n' },
    ],
  ])('%s: it is in the workspace', async (name, files) => {
    const project = await makeWorkspace(server(), `backend-${name.replaceAll(' ', '-')}`)
    const { id } = await project.uploadAndRun(files, { 'auto-apply': true })
    const ended = await project.runIn(id, 'applied', 'errored')
    expect(ended.attributes['status'], await project.log(ended, 'plan')).toBe('applied')
    expect(await project.resources()).toEqual([{ address: 'terraform_data.a', isTainted: false }])
  })
})
