import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { prologue, workspace } from '../harness/cli-steps.ts'
import { comparableOutput } from '../harness/comparable-output.ts'
import { type Project, makeDirectory, makeProject } from '../harness/project.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { type CliResult, terraform } from '../harness/terraform-cli.ts'
import { type Step, bodyOf, expectWire } from '../harness/wire.ts'

const server = recordedServerOfFile()

const files = {
  'main.tf': `
variable "word" {
  type    = string
  default = "größe"
}
resource "terraform_data" "a" {
  input = var.word
}
resource "terraform_data" "b" {
  count = 2
  input = terraform_data.a.output
}
output "a" { value = terraform_data.a.output }
output "secret" {
  value     = "correct horse"
  sensitive = true
}
output "map" { value = { x = [1, true, null], "ü y" = "z" } }
`,
}

const noState = 'GET workspaces/:id/current-state-version 404'
const lock = 'POST workspaces/:id/actions/lock 200'
const unlock = 'POST workspaces/:id/actions/unlock 200'
const state: Step[] = ['GET workspaces/:id/current-state-version 200', 'GET state 200']
const write: Step[] = [
  'POST workspaces/:id/state-versions 201',
  ['PUT state-upload 200', 'PUT json-state-upload 200'],
  'GET state-versions/:id 200',
]
const connect: Step[] = ['GET ping 204', 'GET organizations/:org/entitlement-set 200']
/** Of commands that act on this machine, whatever the execution mode: the workspace is read for its version, then for its state. */
const opened: Step[] = [...prologue, workspace, workspace]
const outputs = 'GET workspaces/:id/current-state-version-outputs 200'

/** Runs a command; answers what it said, once more in one line without colours and boxes, and what it asked. */
const ask = async (project: Project, args: string[], input = '') => {
  server().taken()
  const result = await project.terraform(args, { input })
  const words = stripVTControlCharacters(result.stdout + result.stderr).replaceAll(/[\s│╷╵]+/g, ' ')
  return { ...result, asked: server().taken(), words }
}

const succeed = async (project: Project, args: string[], input = '') => {
  const result = await ask(project, args, input)
  expect(result.code, `${args.join(' ')}\n${result.stdout}\n${result.stderr}`).toBe(0)
  return result
}

/** A project and the same files without a server, both initialised; `both` runs a command here and there and expects the same of it. */
const beside = async (name: string, attributes: Record<string, unknown> = {}) => {
  const [project, local] = [await makeProject(server(), { name, files }), await makeDirectory(files)]
  await succeed(project, ['init'])
  expect((await terraform(local, ['init'])).code).toBe(0)
  await server().api.call('PATCH', `workspaces/${(await project.workspace()).id}`, { type: 'workspaces', attributes })
  const both = async (args: string[], input = ''): Promise<CliResult & { steps: (expected: Step[]) => void }> => {
    const [there, here] = [await ask(project, args, input), await terraform(local, args, { input })]
    const lines = ({ stdout, stderr }: CliResult): string[] => comparableOutput(`${stdout}\n${stderr}`).toSorted()
    expect.soft(lines(there), args.join(' ')).toEqual(lines(here))
    expect(there.code, `${args.join(' ')}\n${there.stdout}\n${there.stderr}`).toBe(here.code)
    return { ...there, steps: (expected) => expectWire(there.asked, expected) }
  }
  /** The text of an apply is compared elsewhere. */
  const apply = async (): Promise<void> => {
    await succeed(project, ['apply', '-auto-approve'])
    expect((await terraform(local, ['apply', '-auto-approve'])).code).toBe(0)
  }
  return { project, both, apply }
}

/** Uploads a state as a client of the API; the workspace has to be locked. */
const upload = async (project: Project, text: string) => {
  const { id } = await project.workspace()
  const { serial, lineage } = JSON.parse(text) as { serial: number; lineage: string }
  const md5 = createHash('md5').update(text).digest('hex')
  const attributes = { serial, lineage, md5, state: Buffer.from(text).toString('base64') }
  await server().api.call('POST', `workspaces/${id}/state-versions`, { type: 'state-versions', attributes })
}

const act = async (project: Project, action: string) =>
  server().api.call('POST', `workspaces/${(await project.workspace()).id}/actions/${action}`)

describe('execution mode local', () => {
  it('SEQ-22: plans and applies on the own machine, under a lock, with the state on the server', async () => {
    const { project, both } = await beside('own', { 'execution-mode': 'local' })
    ;(await both(['plan'])).steps([...opened, lock, noState, unlock])
    ;(await both(['apply', '-auto-approve'])).steps([...opened, lock, noState, noState, ...write, unlock])
    ;(await both(['apply', '-var=word=two'], 'yes\n')).steps([...opened, lock, ...state, ...write, unlock])
    ;(await both(['plan', '-detailed-exitcode', '-var=word=two'])).steps([...opened, lock, ...state, unlock])
    await both(['plan', '-out=tfplan'])
    await both(['show', 'tfplan'])
    await both(['apply', 'tfplan'])
    await both(['apply', 'tfplan'])
    await both(['refresh'])
    await both(['apply', '-refresh-only', '-auto-approve'])
    await both(['destroy', '-auto-approve'])
    expect(await project.runs()).toEqual([])
    expect((await project.workspace()).attributes['locked']).toBe(false)
  })
})

describe('outputs', () => {
  it('SEQ-23: are listed without the whole state; sensitive ones are asked for one by one', async () => {
    const { both, apply } = await beside('outputs')
    ;(await both(['output'])).steps([...prologue, workspace, outputs])
    await both(['output', '-json'])
    await both(['output', 'a'])
    await apply()
    const each: Step[] = [...prologue, workspace, outputs, 'GET state-version-outputs/:id 200']
    for (const args of [['output'], ['output', '-json'], ['output', '-json', 'map'], ['output', '-raw', 'a'], ['output', 'map']])
      (await both(args)).steps(each)
    expect((await both(['output', '-raw', 'secret'])).stdout).toBe('correct horse')
    await both(['output', 'secret'])
    await both(['output', '-raw', 'map'])
    await both(['output', 'nothing'])
  })
})

describe('commands that read or change the state', () => {
  it('SEQ-24: say and do the same as without a server', async () => {
    const { project, both, apply } = await beside('state')
    for (const args of [['state', 'list'], ['show', '-json'], ['providers'], ['validate'], ['taint', 'terraform_data.a']]) await both(args)
    await apply()

    const read: Step[] = [...prologue, workspace, ...state]
    for (const args of [['state', 'list'], ['show'], ['providers'], ['graph']]) (await both(args)).steps(read)
    for (const args of [
      ['state', 'list', '-id=nothing'],
      ['state', 'show', 'terraform_data.a'],
      ['state', 'show', 'terraform_data.x'],
    ])
      await both(args)
    ;(await both(['validate'])).steps([])
    const shown = await succeed(project, ['show', '-json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({ values: { outputs: { secret: { sensitive: true, value: 'correct horse' } } } })
    const console = await both(['console'], '"${terraform_data.a.output} ${length(terraform_data.b)}"\n')
    expect(console.stdout).toContain('"größe 2"')
    console.steps([...prologue, workspace, lock, ...state, unlock])

    const changed: Step[] = [...opened, lock, ...state, ...connect, ...write, unlock]
    ;(await both(['state', 'mv', 'terraform_data.b[0]', 'terraform_data.c'])).steps(changed)
    ;(await both(['state', 'rm', 'terraform_data.c'])).steps(changed)
    await both(['state', 'rm', 'terraform_data.c'])
    for (const command of ['taint', 'untaint'])
      (await both([command, 'terraform_data.a'])).steps([...opened, lock, ...state, ...write, unlock])
    const [builtin, other] = ['terraform.io/builtin/terraform', 'registry.example/acme/fake']
    // With a server the CLI warns that it does not know the schemas of the other provider.
    for (const pair of [
      [builtin, other],
      [other, builtin],
    ])
      expect((await succeed(project, ['state', 'replace-provider', '-auto-approve', ...pair])).words).toContain('Successfully replaced')
    expect((await ask(project, ['state', 'replace-provider', '-auto-approve', other, builtin])).words).toContain(
      'No matching resources found',
    )
    expect((await project.resources()).map(({ address }) => address)).toEqual(['terraform_data.a', 'terraform_data.b[1]'])
  })

  it('SEQ-24: import runs on this machine, with the variables of the workspace', async () => {
    const { project } = await beside('import')
    const { id } = await project.workspace()
    const variable = { key: 'word', value: 'from the workspace', category: 'terraform' }
    await server().api.call('POST', `workspaces/${id}/vars`, { type: 'vars', attributes: variable })
    const variables = 'GET workspaces/:id/vars 200'
    const imported = await succeed(project, ['import', 'terraform_data.b[0]', 'some-id'])
    expect(imported.words).toContain('Import successful!')
    expectWire(imported.asked, [...opened, lock, noState, workspace, workspace, variables, noState, ...write, unlock])
    expect(await project.resources()).toEqual([{ address: 'terraform_data.b[0]', isTainted: false }])
    expect((await ask(project, ['import', 'terraform_data.b[0]', 'some-id'])).words).toContain('Resource already managed by Terraform')
    expect((await ask(project, ['import', 'terraform_data.no', 'some-id'])).words).toContain(
      'resource address "terraform_data.no" does not exist',
    )
    expect((await project.workspace()).attributes['locked']).toBe(false)
  })

  it('SEQ-24: pull gives the state byte by byte, push takes one that follows', async () => {
    const { project } = await beside('push')
    await succeed(project, ['apply', '-auto-approve'])
    const pulled = (await succeed(project, ['state', 'pull'])).stdout.trimEnd()
    const document = JSON.parse(pulled) as { serial: number; lineage: string }
    const push = async (change: Partial<typeof document>, ...flags: string[]) => {
      await writeFile(join(project.directory, 'changed.tfstate'), JSON.stringify({ ...document, ...change }))
      return ask(project, ['state', 'push', ...flags, 'changed.tfstate'])
    }
    const same = await push({})
    expect(same.code).toBe(0)
    expectWire(same.asked, [...opened, lock, ...state, unlock])

    const next = await push({ serial: 20 })
    expect(next.code, next.stderr).toBe(0)
    expectWire(next.asked, [...opened, lock, ...state, ...write, unlock])
    expect(bodyOf(next.asked, 'POST', '/state-versions')).toMatchObject({ data: { attributes: { serial: 21, force: false } } })
    expect((await push({ serial: 3 })).words).toContain('cannot import state with serial 3 over newer state with serial 21')
    expect((await push({ serial: 30, lineage: 'other' })).words).toContain('cannot import state with lineage "other" over unrelated state')

    // The CLI keeps -force to itself, and does not give back the lock after a refusal.
    for (const change of [{ serial: 3 }, { serial: 30, lineage: 'other' }]) {
      const forced = await push(change, '-force')
      expect(forced.code).toBe(1)
      expect(forced.words).toMatch(/error uploading state: conflict .*"force": true/)
      expect(bodyOf(forced.asked, 'POST', '/state-versions')).toMatchObject({ data: { attributes: { force: false } } })
      expectWire(forced.asked, [...opened, lock, ...state, 'POST workspaces/:id/state-versions 409'])
      await succeed(project, ['force-unlock', '-force', 'e2e/push'])
    }
    const { stdout } = await succeed(project, ['state', 'pull'])
    expect(JSON.parse(stdout)).toEqual({ ...document, serial: 21 })
  })
})

describe('the lock', () => {
  it('SEQ-25: of somebody else stops commands that write, until it is given back or taken away', async () => {
    const { project } = await beside('locked')
    await succeed(project, ['apply', '-auto-approve'])
    await act(project, 'lock')
    for (const args of [['state', 'rm', 'terraform_data.a'], ['taint', 'terraform_data.a'], ['console']]) {
      const refused = await ask(project, args)
      expect(refused.code, args.join(' ')).toBe(1)
      expect(refused.words).toContain('Error: Error acquiring the state lock')
      expect(refused.words).toContain('Error message: workspace already locked (lock ID: "e2e/locked")')
      expect(refused.asked.at(-1)).toMatchObject({ method: 'POST', status: 409 })
    }
    for (const args of [['state', 'list'], ['output'], ['show']]) await succeed(project, args)

    expect(await ask(project, ['force-unlock', '-force', 'e2e/other'])).toMatchObject({
      code: 1,
      words: expect.stringContaining('lock ID "e2e/other" does not match existing lock ID "e2e/locked"'),
    })
    const unlocked = await succeed(project, ['force-unlock', '-force', 'e2e/locked'])
    expect(unlocked.words).toContain('Terraform state has been successfully unlocked!')
    expectWire(unlocked.asked, [...prologue, workspace, 'POST workspaces/:id/actions/force-unlock 200'])
    const again = await ask(project, ['force-unlock', '-force', 'e2e/locked'])
    expect(again).toMatchObject({ code: 1, words: expect.stringContaining('workspace already unlocked') })
    expect(again.asked.at(-1)).toMatchObject({ method: 'POST', status: 409 })
    await succeed(project, ['state', 'rm', 'terraform_data.b[1]'])
  })

  it('SEQ-25: of a run is the run’s', async () => {
    const { project } = await beside('held')
    const run = await project.runIn((await project.uploadAndRun(files)).id, 'planned')
    const refused = await ask(project, ['state', 'push', '-lock-timeout=1s', 'main.tf'])
    expect(refused.code).toBe(1)
    const { id } = await project.workspace()
    for (const action of ['lock', 'unlock', 'force-unlock']) {
      const { status, text } = await server().api.raw('POST', `workspaces/${id}/actions/${action}`)
      expect(status, action).toBe(409)
      expect(text).toContain(`is locked by Run ${run.id}`)
    }
    const rm = await ask(project, ['state', 'mv', 'terraform_data.a', 'terraform_data.z'])
    expect(rm).toMatchObject({ code: 1, words: expect.stringContaining('workspace already locked (lock ID: "e2e/held")') })
    const forced = await ask(project, ['force-unlock', '-force', 'e2e/held'])
    expect(forced).toMatchObject({ code: 1, words: expect.stringContaining('Failed to unlock state') })
    await server().api.call('POST', `runs/${run.id}/actions/discard`)
    expect((await project.workspace()).attributes['locked']).toBe(false)
  })
})

describe('an upload that is refused', () => {
  /** Begins an apply on this machine that waits in its only step, and takes its lock away. */
  const robbed = async (name: string) => {
    const effects = await makeSideEffects()
    const project = await makeProject(server(), { name, files })
    await succeed(project, ['init'])
    await server().api.call('PATCH', `workspaces/${(await project.workspace()).id}`, {
      type: 'workspaces',
      attributes: { 'execution-mode': 'local' },
    })
    await succeed(project, ['apply', '-auto-approve'])
    const before = JSON.parse((await succeed(project, ['state', 'pull'])).stdout) as object
    await project.write({ 'step.tf': effects.configuration({ steps: 1, gates: [0] }) })
    server().taken()
    const apply = await project.start(['apply', '-auto-approve', '-no-color'])
    await effects.begun(0)
    await act(project, 'force-unlock')
    const finish = async () => {
      await effects.open(0)
      const { code, stderr } = await apply.ended
      expect(code).toBe(1)
      const words = stderr.replaceAll(/\s+/g, ' ')
      expect(words).toContain('the state has been written to the file "errored.tfstate"')
      expectWire(server().taken(), [...opened, lock, ...state, 'POST workspaces/:id/state-versions 409'])
      return words
    }
    return { project, before, finish, errored: () => readFile(join(project.directory, 'errored.tfstate'), 'utf8') }
  }

  it('SEQ-26: for a serial that is used up leaves errored.tfstate, and the state of the other', async () => {
    const { project, before, finish, errored } = await robbed('stale')
    await act(project, 'lock')
    const newer = { ...before, serial: 7 }
    await upload(project, JSON.stringify(newer))
    expect(await finish()).toMatch(
      /Failed to save state Error saving state: error uploading state: conflict Serial 2 is older than serial 7/,
    )
    expect(await errored()).toContain('step0')
    expect((await project.workspace()).attributes['locked']).toBe(true)
    await act(project, 'unlock')
    expect(JSON.parse((await succeed(project, ['state', 'pull'])).stdout)).toEqual(newer)
  })

  it('SEQ-26: for a lock that is gone leaves errored.tfstate, which can be pushed', async () => {
    const { project, finish } = await robbed('unlocked')
    expect(await finish()).toContain('The workspace is not locked. Lock it before you change its state.')
    await succeed(project, ['state', 'push', 'errored.tfstate'])
    expect((await project.resources()).map(({ address }) => address)).toContain('terraform_data.step0')
    await succeed(project, ['plan', '-detailed-exitcode'])
  })
})

describe('terraform_remote_state on this machine', () => {
  it('SEQ-28: reads the state with the token of the CLI, by backend "remote" and by "cloud"', async () => {
    const { project } = await beside('shared')
    await succeed(project, ['apply', '-auto-approve'])
    const reading = (backend: string, name: string): string => `
data "terraform_remote_state" "shared" {
  backend   = "${backend}"
  ${backend === 'cloud' ? `workspace = "${name}"` : ''}
  config = {
    hostname     = "${server().hostname}"
    organization = "e2e"
    workspaces   = { name = "${name}" }
  }
}
output "word" { value = data.terraform_remote_state.shared.outputs.a }
`
    const directory = await makeDirectory({ 'main.tf': '' })
    const options = { cliConfigFile: server().cliConfigFile, env: { SSL_CERT_FILE: server().caFile ?? '' } }
    for (const backend of ['remote', 'cloud']) {
      await writeFile(join(directory, 'main.tf'), reading(backend, 'shared'))
      expect((await terraform(directory, ['init'], options)).code).toBe(0)
      server().taken()
      const read = await terraform(directory, ['plan', '-no-color'], options)
      expect(read, read.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('+ word = "größe"') })
      expectWire(server().taken(), [...prologue, workspace, ...state])
    }
    await writeFile(join(directory, 'main.tf'), reading('remote', 'nowhere'))
    expect((await terraform(directory, ['plan', '-no-color'], options)).stderr).toContain('Unable to find remote state')
  })
})
