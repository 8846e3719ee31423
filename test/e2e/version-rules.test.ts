import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { logText } from '../harness/log-lines.ts'
import { type Project, makeProject } from '../harness/project.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const directory = await mkdtemp(join(tmpdir(), 'terrane-engines-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

/** A directory for PATH whose terraform is the one of this machine, and says that it is `version`. */
const engineOf = async (version: string): Promise<string> => {
  const place = join(directory, version)
  await mkdir(place, { recursive: true })
  const script = `#!/bin/sh\nif [ "$1" = version ]; then echo '{"terraform_version": "${version}"}'; else exec terraform "$@"; fi\n`
  await writeFile(join(place, 'terraform'), script, { mode: 0o755 })
  // Engines may run as users of their own.
  for (const path of [directory, place]) await chmod(path, 0o755)
  return place
}

const server = serverOfFile({
  // Nothing is downloaded.
  args: ['--release-mirror', 'http://127.0.0.1:1'],
  env: {
    PATH: [...(await Promise.all(['1.10.5', '1.11.3', '1.12.2', '1.13.0-beta1'].map(engineOf))), process.env['PATH']].join(':'),
  },
})

const files = { 'main.tf': 'resource "terraform_data" "a" {}\nresource "terraform_data" "b" {}\n' }

const setVersion = async (project: Project, version: string): Promise<void> => {
  const { id } = await project.workspace()
  await server().api.call('PATCH', `workspaces/${id}`, { type: 'workspaces', attributes: { 'terraform-version': version } })
}

/** What a command says, in one line without colours and boxes. */
const words = async (project: Project, args: string[]) => {
  const { code, stdout, stderr } = await project.terraform(args)
  return { code, said: stripVTControlCharacters(stdout + stderr).replaceAll(/[\s│╷╵]+/g, ' ') }
}

const initialised = async (name: string, by: 'cloud' | 'remote' = 'cloud'): Promise<Project> => {
  const project = await makeProject(server(), { name, files, by })
  const { code, said } = await words(project, ['init'])
  expect(code, said).toBe(0)
  return project
}

describe('the version of a workspace', () => {
  it('SEQ-24: is compared with that of the CLI by commands that write the state on this machine', async () => {
    const project = await initialised('compared')
    expect((await project.workspace()).attributes['terraform-version']).toBe('1.11.4')
    expect((await words(project, ['apply', '-auto-approve'])).code).toBe(0)
    const commands = [
      ['taint', 'terraform_data.a'],
      ['untaint', 'terraform_data.a'],
    ]
    const accepted = ['1.11.0', '1.11.3', '~> 1.11', '>= 1.10, < 1.12', '>= 1.2', 'latest']
    for (const [index, version] of accepted.entries()) {
      await setVersion(project, version)
      expect(await words(project, commands[index % 2] ?? []), version).toMatchObject({ code: 0 })
    }

    for (const version of ['1.10.5', '~> 1.10.0', '1.12.2']) {
      await setVersion(project, version)
      const { code, said } = await words(project, ['taint', 'terraform_data.a'])
      expect(code, version).toBe(1)
      expect(said).toContain(
        'Error: Incompatible Terraform version The local Terraform version (1.11.4) does not meet the version requirements',
      )
      expect(said).toContain('workspace e2e/compared')
      expect(said).toContain('you can force Terraform to continue using the -ignore-remote-version flag')
    }
    expect((await words(project, ['state', 'mv', 'terraform_data.a', 'terraform_data.c'])).code).toBe(1)
    // Commands that only read, and runs, do not compare.
    for (const args of [['state', 'list'], ['output'], ['plan']]) expect((await words(project, args)).code, args.join(' ')).toBe(0)
    const ignored = await words(project, ['state', 'mv', '-ignore-remote-version', 'terraform_data.a', 'terraform_data.c'])
    expect(ignored).toMatchObject({ code: 0, said: expect.stringContaining('Warning: Incompatible Terraform version') })

    const attributes = { 'execution-mode': 'local' }
    await server().api.call('PATCH', `workspaces/${(await project.workspace()).id}`, { type: 'workspaces', attributes })
    expect(await words(project, ['state', 'mv', 'terraform_data.c', 'terraform_data.a'])).toMatchObject({ code: 0 })
  })

  it('SEQ-27: is compared by backend "remote" too, by its first two numbers', async () => {
    const project = await initialised('classic', 'remote')
    expect((await project.workspace()).attributes['terraform-version']).toBe('1.11.4')
    expect((await words(project, ['apply', '-auto-approve'])).code).toBe(0)
    await setVersion(project, '1.11.3')
    expect((await words(project, ['taint', 'terraform_data.a'])).code).toBe(0)
    await setVersion(project, '1.10.5')
    const { code, said } = await words(project, ['untaint', 'terraform_data.a'])
    expect(code).toBe(1)
    expect(said).toMatch(/Error: .*Terraform version.*1\.10\.5/)
    expect(await words(project, ['untaint', '-ignore-remote-version', 'terraform_data.a'])).toMatchObject({
      code: 0,
      said: expect.stringContaining('Warning: '),
    })
  })

  it('decides which engine runs: that one, or the newest that is there and matches', async () => {
    const project = await initialised('engines')
    const runs: [string, string][] = [
      ['1.10.5', '1.10.5'],
      ['~> 1.11.0', '1.11.4'],
      ['~> 1.11', '1.12.2'],
      ['1.13.0-beta1', '1.13.0-beta1'],
      ['latest', '1.12.2'],
    ]
    for (const [asked, used] of runs) {
      await setVersion(project, asked)
      expect((await project.workspace()).attributes['terraform-version']).toBe(asked)
      const { code, said } = await words(project, ['plan'])
      expect(code, said).toBe(0)
      expect(said, asked).toContain(`Terraform v${used} on linux_amd64`)
      expect((await project.runs())[0]?.attributes['terraform-version']).toBe(used)
    }
  })

  it('that is not there and cannot be had ends the run with a text that says what to do', async () => {
    const project = await initialised('absent')
    await setVersion(project, '1.9.8')
    const { code, said } = await words(project, ['plan'])
    expect(code).toBe(1)
    expect(said).toMatch(/Error: .*1\.9\.8/)
    expect(said).toMatch(/PATH|--release-mirror/)
    expect((await project.workspace()).attributes['locked']).toBe(false)

    await setVersion(project, '>= 1.5, < 1.6')
    const none = await words(project, ['plan'])
    expect(none.code).toBe(1)
    expect(none.said).toContain('No Terraform version matches ">= 1.5, < 1.6"')
  })

  it('that is none is refused, and what the configuration requires is told by the engine', async () => {
    const project = await initialised('required')
    const { id } = await project.workspace()
    for (const version of ['one', '1.11.4.5', '~> x', '99.0.0', '']) {
      const attributes = { 'terraform-version': version }
      const { status, text } = await server().api.raw('PATCH', `workspaces/${id}`, { type: 'workspaces', attributes })
      expect(status, version).toBe(422)
      expect(text).toContain('terraform-version')
    }
    const run = await project.uploadAndRun({ 'main.tf': 'terraform {\n  required_version = "< 1.11"\n}\n' })
    const ended = await project.runIn(run.id, 'errored')
    expect(logText(await project.log(ended, 'plan'))).toContain('Unsupported Terraform Core version')
  })
})
