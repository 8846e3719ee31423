import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { logText } from '../harness/log-lines.ts'
import { enginesIn, listProcesses } from '../harness/processes.ts'
import type { Project } from '../harness/project.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { startSlowState } from '../harness/slow-state.ts'
import { serverOfTest, type TestServer } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { completed } from './completed.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { makeWorkspace } from './make-workspace.ts'

const args = ['--force-cancel-cool-off', '1']

const act = async (server: TestServer, id: string, action: string): Promise<number> =>
  (await server.api.raw('POST', `runs/${id}/actions/${action}`)).status

/** The workspace takes another run, which is applied. */
const expectUsable = async (project: Project): Promise<void> => {
  expect((await project.workspace()).attributes['locked']).toBe(false)
  const { id } = await project.uploadAndRun({ 'main.tf': 'resource "terraform_data" "after" {}' }, { 'auto-apply': true })
  await project.runIn(id, 'applied')
}

const inRun = async (server: TestServer, id: string) =>
  (await listProcesses()).filter(({ cwd }) => cwd.startsWith(`${server.workDir}/${id}`))

describe('a cancel', () => {
  it('in init ends the run at once', async () => {
    const server = await serverOfTest()
    const project = await makeWorkspace(server, 'init')
    // A module behind a host that accepts and never answers keeps init busy.
    const slow = await startSlowState()
    const source = `${/http:[^"]*/.exec(slow.configuration())?.[0]}.zip`
    const { id } = await project.uploadAndRun({ 'main.tf': `module "slow" {\n  source = "${source}"\n}\n` })
    await waitFor(() => slow.requests() === 1, { timeoutMs: 30_000, what: 'init to ask for the module' })
    expect(await act(server, id, 'cancel')).toBe(202)
    slow.open()
    await project.runIn(id, 'canceled')
    await expectUsable(project)
    await expectNothingLeft([server])
  })

  it('in an apply interrupts terraform, which begins nothing more, and keeps the state; twice and after the end it is refused', async () => {
    const [server, effects] = [await serverOfTest(), await makeSideEffects()]
    const project = await makeWorkspace(server, 'apply')
    const { id } = await project.uploadAndRun({ 'main.tf': effects.configuration({ steps: 4, gates: [1] }) }, { 'auto-apply': true })
    await effects.begun(1)
    expect(await act(server, id, 'cancel')).toBe(202)
    expect(await act(server, id, 'cancel')).toBe(409)
    const canceled = await project.runIn(id, 'canceled', 'applied', 'errored')
    expect(canceled.attributes['status']).toBe('canceled')
    expect(await act(server, id, 'cancel')).toBe(409)
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1 })
    expect((await project.resources()).map(({ address }) => address)).toContain('terraform_data.step0')
    expect(logText(await project.log(canceled, 'apply'))).toContain('Interrupt received')
    await expectUsable(project)
    await expectNothingLeft([server])
  })

  it('at any moment ends the run, and each resource that was finished is in the state', async () => {
    const server = await serverOfTest()
    for (let moment = 0; moment < 12; moment++) {
      const [project, effects] = [await makeWorkspace(server, `moment-${moment}`), await makeSideEffects()]
      const { id } = await project.uploadAndRun({ 'main.tf': effects.configuration({ steps: 2, gates: [] }) }, { 'auto-apply': true })
      await pause(moment * 100)
      const answer = await act(server, id, 'cancel')
      const ended = await project.runIn(id, 'canceled', 'applied', 'errored')
      const [status, log] = [ended.attributes['status'], await project.log(ended, 'apply')]
      // An apply that was done before the interrupt reached it stays one.
      expect(answer === 202 ? ['canceled', 'applied'] : ['applied'], log).toContain(status)
      expect((await project.resources()).map(({ address }) => address)).toEqual(expect.arrayContaining(completed(log)))
      await expectUsable(project)
    }
    await expectNothingLeft([server])
  })
})

const IGNORING = `trap '' INT TERM HUP; while :; do sleep 1; done`

const sleeping = async (server: TestServer, id: string, count: number): Promise<void> => {
  const isThere = async () => (await inRun(server, id)).filter(({ command }) => command.startsWith('sleep')).length >= count
  await waitFor(isThere, { timeoutMs: 30_000, what: 'the provisioner' })
}

describe('a provisioner that ignores signals', () => {
  it('does not keep a cancel from ending the run with every process', async () => {
    const server = await serverOfTest()
    const project = await makeWorkspace(server, 'deaf')
    const main = `resource "terraform_data" "deaf" {\n  provisioner "local-exec" {\n    command = ${JSON.stringify(IGNORING)}\n  }\n}\n`
    const { id } = await project.uploadAndRun({ 'main.tf': main }, { 'auto-apply': true })
    await sleeping(server, id, 1)
    expect(await act(server, id, 'cancel')).toBe(202)
    await project.runIn(id, 'canceled')
    expect(await inRun(server, id)).toEqual([])
    await expectUsable(project)
    await expectNothingLeft([server])
  })

  it('is gone within 2 s of a forced cancel, with a terraform that ignores the first one; the workspace is usable', async () => {
    const [server, slow] = [await serverOfTest({ args }), await startSlowState()]
    const project = await makeWorkspace(server, 'deaf')
    const detached = `setsid sh -c "${IGNORING}" < /dev/null > /dev/null 2>&1 &`
    const main = `resource "terraform_data" "before" {
  provisioner "local-exec" {
    command = ${JSON.stringify(detached)}
  }
}
resource "terraform_data" "deaf" {
  depends_on = [terraform_data.before]
  provisioner "local-exec" {
    command = ${JSON.stringify(IGNORING)}
  }
}
`
    const { id } = await project.uploadAndRun({ 'main.tf': main + slow.configuration(['terraform_data.before']) }, { 'auto-apply': true })
    await sleeping(server, id, 2)
    await waitFor(() => slow.requests() === 1, { timeoutMs: 30_000, what: 'the apply to read its data source' })
    expect(await act(server, id, 'cancel')).toBe(202)
    const isAllowed = async () => ((await project.run(id)).attributes['actions'] as Record<string, boolean>)['is-force-cancelable']
    await waitFor(isAllowed, { timeoutMs: 5000, what: 'the cool-off' })
    expect(await enginesIn(server.workDir)).toHaveLength(1)
    expect(await act(server, id, 'force-cancel')).toBe(202)
    await waitFor(async () => (await inRun(server, id)).length === 0, { timeoutMs: 2000, what: 'the end of every process' })
    const canceled = await project.runIn(id, 'canceled')
    expect(logText(await project.log(canceled, 'apply'))).toContain('terraform_data.before: Creation complete')
    expect((await project.resources()).filter(({ isTainted }) => !isTainted)).toEqual([
      { address: 'terraform_data.before', isTainted: false },
    ])
    await expectUsable(project)
    await expectNothingLeft([server])
  })
})
