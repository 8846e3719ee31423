import { type ServerType, serve } from '@hono/node-server'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from '../../harness/api.ts'
import { type StateApi, type TestWorkspace, makeStateApi } from './state-api.ts'

const HOST = 'terrane.test'
const CONFIGURATION = `
variable "steps" { default = 1 }
resource "terraform_data" "a" {
  count = var.steps
  input = "value \${count.index} ключ"
}
output "count" { value = length(terraform_data.a) }
output "big" { value = 12345678901234567890 }
output "secret" {
  value     = "hunter2"
  sensitive = true
}
`

let api: StateApi
let server: ServerType
let directory: string
let workspace: TestWorkspace

const terraform = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const { port } = server.address() as AddressInfo
    const env = {
      HOME: directory,
      PATH: '/usr/local/bin:/usr/bin:/bin',
      TF_CLI_CONFIG_FILE: join(directory, 'terraformrc'),
      TF_IN_AUTOMATION: '1',
      CHECKPOINT_DISABLE: '1',
      // links of the server name its public URL, which is no name here: the server is its own proxy
      HTTP_PROXY: `http://127.0.0.1:${port}`,
    }
    const options = { cwd: join(directory, 'configuration'), env, timeout: 60_000 }
    execFile('terraform', [...args, '-no-color'], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
  })

const ok = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await terraform(...args)
  if (code !== 0) throw new Error(`terraform ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return stdout
}

const currentSerial = async (): Promise<unknown> =>
  (await api.request('GET', `workspaces/${workspace.id}/current-state-version`)).one().attributes['serial']

beforeAll(async () => {
  api = await makeStateApi()
  server = serve({ fetch: api.app.fetch, port: 0, hostname: '127.0.0.1' })
  workspace = await api.newWorkspace()
  const path = `workspaces/${workspace.id}`
  await api.request('PATCH', path, { body: documentOf('workspaces', { 'execution-mode': 'local', 'terraform-version': '1.11.4' }) })
  directory = await mkdtemp(join(tmpdir(), 'terrane-terraform-'))
  await mkdir(join(directory, 'configuration'))
  const cloud = `terraform {\n  cloud {\n    hostname = "${HOST}"\n    organization = "${workspace.organization}"\n    workspaces { name = "${workspace.name}" }\n  }\n}\n`
  await writeFile(join(directory, 'configuration', 'main.tf'), cloud + CONFIGURATION)
  await writeFile(
    join(directory, 'terraformrc'),
    `host "${HOST}" {\n  services = { "tfe.v2" = "http://${HOST}/api/v2/", "state.v2" = "http://${HOST}/api/v2/" }\n}\ncredentials "${HOST}" {\n  token = "${api.admin.token}"\n}\n`,
  )
  await ok('init')
})
afterAll(async () => {
  server.close()
  await api.drop()
  await rm(directory, { recursive: true, force: true })
})

describe('terraform with local execution', () => {
  it('applies, reads outputs, and edits its state', async () => {
    await ok('apply', '-auto-approve')
    expect(await currentSerial()).toBe(1)
    expect(JSON.parse(await ok('output', '-json'))).toMatchObject({ count: { value: 1 }, secret: { value: 'hunter2', sensitive: true } })
    await ok('apply', '-auto-approve', '-var', 'steps=3')
    await ok('state', 'mv', 'terraform_data.a[2]', 'terraform_data.moved')
    await ok('state', 'rm', 'terraform_data.moved')
    expect(await ok('state', 'list')).toBe('terraform_data.a[0]\nterraform_data.a[1]\n')
    expect(await currentSerial()).toBe(4)

    const pulled = await ok('state', 'pull')
    expect(pulled).toContain('"value": 12345678901234567890,')
    const stored = await api.download(
      (await api.request('GET', `workspaces/${workspace.id}/current-state-version`)).one().attributes['hosted-state-download-url'],
    )
    expect(JSON.parse(pulled)).toEqual(JSON.parse(stored.bytes.toString()))
    const list = await api.request('GET', `workspaces/${workspace.id}`)
    expect(list.one().attributes).toMatchObject({ 'resource-count': 2, locked: false })
  })

  it('pushes a state, and is refused an old one', async () => {
    const file = join(directory, 'pushed.tfstate')
    const state = JSON.parse(await ok('state', 'pull')) as { serial: number }
    await writeFile(file, JSON.stringify({ ...state, serial: 50 }))
    await ok('state', 'push', file)
    // terraform counts the push itself as a change
    expect(await currentSerial()).toBe(51)
    await writeFile(file, JSON.stringify({ ...state, serial: 3 }))
    expect((await terraform('state', 'push', file)).stderr).toContain('serial')
    // this version of terraform does not pass -force on; it leaves the lock after a refused upload
    expect((await terraform('state', 'push', '-force', file)).stderr).toContain('Serial 4 is older than serial 51')
    await ok('force-unlock', '-force', `${workspace.organization}/${workspace.name}`)
    expect(await currentSerial()).toBe(51)
  })

  it('begins a second apply under one lock with the state of the first', async () => {
    await api.lock(workspace)
    await ok('apply', '-auto-approve', '-lock=false', '-var', 'steps=4')
    const second = await ok('apply', '-auto-approve', '-lock=false', '-var', 'steps=5')
    expect(second).toContain('1 added, 0 changed, 0 destroyed')
    await api.unlock(workspace)
    expect(await ok('state', 'list')).toContain('terraform_data.a[4]')
  })

  it('keeps what it could not upload in a file, and the lock', async () => {
    await api.lock(workspace)
    await ok('apply', '-auto-approve', '-lock=false', '-var', 'steps=4')
    const locked = await terraform('apply', '-auto-approve', '-var', 'steps=4')
    expect(locked.stderr).toContain('Error acquiring the state lock')
    await api.unlock(workspace)
    const refused = await terraform('apply', '-auto-approve', '-lock=false', '-var', 'steps=2')
    expect(refused.stderr).toContain('The workspace is not locked')
    const errored = await readFile(join(directory, 'configuration', 'errored.tfstate'), 'utf8')
    expect(errored).toContain('"version": 4')
    await ok('state', 'push', join(directory, 'configuration', 'errored.tfstate'))
    expect(await ok('state', 'list')).toBe('terraform_data.a[0]\nterraform_data.a[1]\n')
  })
})
