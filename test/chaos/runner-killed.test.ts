import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { logText, provisionerLines } from '../harness/log-lines.ts'
import { enginesIn, killProcess, listProcesses, runnerOf } from '../harness/processes.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { startSlowState } from '../harness/slow-state.ts'
import { serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { keptRunnerOf } from './kept-runner-of.ts'
import { makeWorkspace } from './make-workspace.ts'
import { untilTold } from './until-told.ts'

const all = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ address: `terraform_data.step${from + index}`, isTainted: false }))

describe('a runner killed', () => {
  it('in a plan: the log shows both attempts, the second one is applied', async () => {
    const [server, slow] = [await serverOfTest(), await startSlowState()]
    const project = await makeWorkspace(server, 'plan')
    const { id } = await project.uploadAndRun({ 'main.tf': slow.configuration() }, { 'auto-apply': true })
    await waitFor(() => slow.requests() === 1, { timeoutMs: 30_000, what: 'the plan' })
    killProcess((await runnerOf(server.workDir, id)) ?? 0)
    await waitFor(() => slow.requests() === 2, { timeoutMs: 60_000, what: 'the second attempt' })
    slow.open()
    const applied = await project.runIn(id, 'applied', 'errored')
    expect(applied.attributes['status']).toBe('applied')
    const log = logText(await project.log(applied, 'plan'))
    expect(log.match(/planning again \(attempt 2 of 3\)/g)).toHaveLength(1)
    await expectNothingLeft([server])
  })

  it('in an apply after 2 of 5 resources: exactly those are kept, the third is named, the next run makes the rest', async () => {
    const [server, effects] = [await serverOfTest(), await makeSideEffects()]
    const project = await makeWorkspace(server, 'apply')
    const files = { 'main.tf': effects.configuration({ steps: 5, gates: [2] }) }
    const { id } = await project.uploadAndRun(files, { 'auto-apply': true })
    await effects.begun(2)
    await untilTold(project, id, 'terraform_data.step2: Creating')
    killProcess((await runnerOf(server.workDir, id)) ?? 0)
    const errored = await project.runIn(id, 'errored', 'applied')
    expect(errored.attributes['status']).toBe('errored')
    const log = logText(await project.log(errored, 'apply'))
    expect(log).toContain('In flight when it was lost: terraform_data.step2 (create)')
    expect(log).not.toContain('terraform_data.step3: Creating')
    expect((await project.resources()).filter(({ isTainted }) => !isTainted)).toEqual(all(0, 2))
    expect((await project.workspace()).attributes['locked']).toBe(false)
    await effects.open(2)
    const next = await project.uploadAndRun(files, { 'auto-apply': true })
    await project.runIn(next.id, 'applied')
    expect(await project.resources()).toEqual(all(0, 5))
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 2, 3: 1, 4: 1 })
    await expectNothingLeft([server])
  })

  it('in an apply while the server is down: what it had still to tell is in the log, and what was in flight at the end is named', async () => {
    const [server, effects] = [await serverOfTest(), await makeSideEffects()]
    const project = await makeWorkspace(server, 'unheard')
    const { id } = await project.uploadAndRun(
      { 'main.tf': effects.configuration({ steps: 5, gates: [1, 3], lines: 200 }) },
      { 'auto-apply': true },
    )
    await effects.begun(1)
    const runner = (await runnerOf(server.workDir, id)) ?? 0
    await server.kill('SIGKILL')
    await effects.open(1)
    await effects.begun(3)
    // What is still in the pipe between terraform and its runner goes with the runner.
    const events = `${server.workDir}/${id}/private/operations`
    const isWritten = async (): Promise<boolean> => {
      const apply = (await readdir(events)).find((name) => name.endsWith('-apply.events')) ?? ''
      return (await readFile(`${events}/${apply}`)).includes('step 3 line 199')
    }
    await waitFor(isWritten, { timeoutMs: 20_000, what: 'the runner to have read the output' })
    killProcess(runner)
    await server.start()
    const errored = await project.runIn(id, 'errored', 'applied')
    expect(errored.attributes['status']).toBe('errored')
    const log = await project.log(errored, 'apply')
    expect(provisionerLines(log).filter((line) => line.startsWith('step 2'))).toHaveLength(200)
    expect(log).toMatch(/In flight when it was lost: .*terraform_data\.step3 \(create\)/)
    expect((await project.resources()).filter(({ isTainted }) => !isTainted)).toEqual(all(0, 3))
    await expectNothingLeft([server])
  })

  it('between plan and apply: a fresh one applies the plan, with the same path and the same lock file', async () => {
    const server = await serverOfTest()
    const project = await makeWorkspace(server, 'between')
    const configuration = 'resource "terraform_data" "a" {\n  input = "${abspath(path.root)}/${fileexists("data.txt")}"\n}\n'
    const { id } = await project.uploadAndRun({ 'main.tf': configuration, 'data.txt': 'x' })
    await project.runIn(id, 'planned')
    killProcess(await keptRunnerOf(server))
    await server.api.call('POST', `runs/${id}/actions/apply`)
    const applied = await project.runIn(id, 'applied', 'errored')
    expect(applied.attributes['status'], await project.log(applied, 'apply')).toBe('applied')
    expect(server.stderr()).toContain('the runner of the plan cannot go on, a new one is taken')
    expect(await project.resources()).toEqual([{ address: 'terraform_data.a', isTainted: false }])
    await expectNothingLeft([server])
  })
})

describe('terraform killed', () => {
  it('in an apply: the run fails, the state is kept, what is in flight is named, and no provisioner lives on', async () => {
    const [server, effects] = [await serverOfTest(), await makeSideEffects()]
    const project = await makeWorkspace(server, 'engine')
    const files = { 'main.tf': effects.configuration({ steps: 5, gates: [2] }) }
    const { id } = await project.uploadAndRun(files, { 'auto-apply': true })
    await effects.begun(2)
    for (const { pid } of await enginesIn(server.workDir)) killProcess(pid)
    const errored = await project.runIn(id, 'errored', 'applied')
    expect(errored.attributes['status']).toBe('errored')
    const log = logText(await project.log(errored, 'apply'))
    expect(log).toContain('terraform was killed (out of memory?)')
    expect(log).toContain('terraform_data.step2 (create)')
    expect((await listProcesses()).filter(({ cwd }) => cwd.startsWith(server.workDir))).toEqual([])
    expect((await project.resources()).filter(({ isTainted }) => !isTainted)).toEqual(all(0, 2))
    await effects.open(2)
    const next = await project.uploadAndRun(files, { 'auto-apply': true })
    await project.runIn(next.id, 'applied')
    expect(await project.resources()).toEqual(all(0, 5))
    await expectNothingLeft([server])
  })
})
