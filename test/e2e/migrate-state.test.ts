import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { prologue, workspace } from '../harness/cli-steps.ts'
import { type Project, makeProject } from '../harness/project.ts'
import { terraformOnTerminal } from '../harness/pty.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { type Step, bodyOf, expectWire } from '../harness/wire.ts'

const server = recordedServerOfFile()

const files = { 'main.tf': 'resource "terraform_data" "a" {\n  input = "kept"\n}\noutput "id" {\n  value = terraform_data.a.id\n}\n' }

const noWorkspace = 'GET organizations/:org/workspaces/:ws 404'
const current = 'GET workspaces/:id/current-state-version 200'
const noState = 'GET workspaces/:id/current-state-version 404'
const readState: Step[] = [current, 'GET state 200']
const [lock, unlock] = ['POST workspaces/:id/actions/lock 200', 'POST workspaces/:id/actions/unlock 200']
const written: Step[] = ['POST workspaces/:id/state-versions 201', 'PUT state-upload 200', 'GET state-versions/:id 200']

/** A directory with a resource in its own terraform.tfstate, and the backend that it shall have next, which is not written yet. */
const newLocal = async (name: string, by: 'cloud' | 'remote' = 'cloud') => {
  const project = await makeProject(server(), { name, files, by })
  const backendFile = join(project.directory, 'backend.tf')
  const backend = await readFile(backendFile, 'utf8')
  await rm(backendFile)
  for (const args of [['init'], ['apply', '-auto-approve']]) expect((await terraform(project.directory, args)).code).toBe(0)
  server().taken()
  return {
    project,
    id: (await terraform(project.directory, ['output', '-raw', 'id'])).stdout,
    useServer: () => project.write({ 'backend.tf': backend }),
    leaveServer: () => rm(backendFile),
  }
}

const expectNoChanges = async (project: Project): Promise<void> => {
  const { code, stdout, stderr } = await project.terraform(['plan', '-detailed-exitcode', '-no-color'])
  expect(code, stdout + stderr).toBe(0)
}

describe('a state that moves', () => {
  it('SEQ-06: from the own machine into a new workspace, and back by hand', async () => {
    const { project, id, useServer, leaveServer } = await newLocal('moved')
    await useServer()
    const asksFirst = await project.terraform(['init', '-no-color', '-input=false'])
    expect(asksFirst.code).toBe(1)
    expect((await server().api.raw('GET', 'organizations/e2e/workspaces/moved')).status).toBe(404)
    server().taken()

    const init = await project.terraform(['init', '-no-color'], { input: 'yes\n' })
    expect(init, init.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Should Terraform migrate your existing state?') })
    const asked = server().taken()
    expectWire(asked, [
      ...prologue,
      noWorkspace,
      noWorkspace,
      'POST organizations/:org/workspaces 201',
      'PATCH workspaces/:id 200',
      noState,
      lock,
      noState,
      noState,
      ...written,
      unlock,
      workspace,
      ...readState,
    ])
    expect(bodyOf(asked, 'POST', '/state-versions')).toMatchObject({ data: { attributes: { force: true, serial: 1 } } })
    expect((await project.workspace()).attributes['locked']).toBe(false)
    expect((await project.terraform(['output', '-raw', 'id'])).stdout).toBe(id)
    await expectNoChanges(project)

    // The client moves nothing out of a cloud block; what `state pull` gives is a state file.
    const pulled = await project.terraform(['state', 'pull'])
    await leaveServer()
    const refused = await project.terraform(['init', '-migrate-state', '-no-color'], { input: 'yes\n' })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is not applicable when using HCP Terraform') })
    await rm(join(project.directory, '.terraform'), { recursive: true })
    await project.write({ 'terraform.tfstate': pulled.stdout })
    expect((await terraform(project.directory, ['init'])).code).toBe(0)
    expect((await terraform(project.directory, ['plan', '-detailed-exitcode'])).code).toBe(0)
    expect((await terraform(project.directory, ['output', '-raw', 'id'])).stdout).toBe(id)
  })

  it('SEQ-06: into a workspace that has one, only when it is asked to', async () => {
    const { project, id, useServer } = await newLocal('taken')
    const first = await makeProject(server(), { name: 'taken', files })
    for (const args of [['init'], ['apply', '-auto-approve']]) expect((await first.terraform(args)).code).toBe(0)
    await useServer()
    const own = await readFile(join(project.directory, 'terraform.tfstate'), 'utf8')
    const attempt = async (second: string) => {
      server().taken()
      const terminal = await terraformOnTerminal(project.directory, ['init'], {
        cliConfigFile: server().cliConfigFile,
        env: { SSL_CERT_FILE: server().caFile ?? '' },
      })
      await terminal.shows('Should Terraform migrate your existing state?')
      terminal.type('yes\r')
      await terminal.shows('Do you want to overwrite the state in HCP Terraform with the previous state?')
      terminal.type(`${second}\r`)
      expect(await terminal.ended, terminal.screen()).toBe(0)
      return server().taken()
    }
    const looked: Step[] = [...prologue, workspace, workspace, ...readState, lock, ...readState]
    const kept = await attempt('no')
    expectWire(kept.slice(0, looked.length + 1), [...looked, unlock])
    expect((await project.terraform(['output', '-raw', 'id'])).stdout).not.toBe(id)

    // Terraform has put the own state aside.
    await rm(join(project.directory, '.terraform'), { recursive: true })
    await project.write({ 'terraform.tfstate': own })
    const moved = await attempt('yes')
    expectWire(moved.slice(0, looked.length + written.length + 1), [...looked, ...written, unlock])
    expect((await project.terraform(['output', '-raw', 'id'])).stdout).toBe(id)
  })

  it('from the own machine to a backend "remote", and back', async () => {
    const { project, id, useServer, leaveServer } = await newLocal('classic', 'remote')
    await useServer()
    expect((await project.terraform(['init', '-migrate-state'], { input: 'yes\n' })).code).toBe(0)
    expectWire(server().taken(), [
      ...prologue,
      noWorkspace,
      noWorkspace,
      'POST organizations/:org/workspaces 201',
      noState,
      lock,
      noState,
      noState,
      ...written,
      unlock,
      workspace,
      ...readState,
    ])
    expect((await project.terraform(['output', '-raw', 'id'])).stdout).toBe(id)
    await leaveServer()
    await rm(join(project.directory, 'terraform.tfstate'))
    server().taken()
    expect((await project.terraform(['init', '-migrate-state'], { input: 'yes\n' })).code).toBe(0)
    expectWire(server().taken(), [...prologue, workspace, ...readState, lock, ...readState, unlock])
    expect((await terraform(project.directory, ['output', '-raw', 'id'])).stdout).toBe(id)
    await expectNoChanges(project)
  })
})
