import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { provisionerLines } from '../harness/log-lines.ts'
import { listProcesses, runnerOf } from '../harness/processes.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { keptRunnerOf } from './kept-runner-of.ts'
import { makeWorkspace } from './make-workspace.ts'

const LINES = 400
const linesOf = (steps: number): string[] =>
  Array.from({ length: steps }, (_, step) => Array.from({ length: LINES }, (_line, line) => `step ${step} line ${line}`)).flat()

describe('a server killed', () => {
  it('in an apply and started again later: the same runner goes on, the log has no gap and no repeat', async () => {
    const [server, effects] = [await serverOfTest(), await makeSideEffects()]
    const project = await makeWorkspace(server, 'apply')
    const configuration = effects.configuration({ steps: 4, gates: [1, 2], lines: LINES })
    const { id } = await project.uploadAndRun({ 'main.tf': configuration }, { 'auto-apply': true })
    await effects.begun(1)
    const runner = await runnerOf(server.workDir, id)
    await server.kill('SIGKILL')
    await effects.open(1)
    await effects.begun(2)
    // Nobody listens: what the engine prints now is fetched later.
    await pause(20_000)
    expect(await runnerOf(server.workDir, id)).toBe(runner)
    await server.start()
    await waitFor(() => server.stderr().includes('took over a running phase'), { what: 'the take-over' })
    await effects.open(2)
    const applied = await project.runIn(id, 'applied', 'errored')
    const log = await project.log(applied, 'apply')
    expect(applied.attributes['status'], log.slice(-500)).toBe('applied')
    expect(provisionerLines(log)).toEqual(linesOf(4))
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 1, 3: 1 })
    await expectNothingLeft([server])
  })

  it('between plan and confirmation: the apply has a fresh runner, and that of the plan ends', async () => {
    const server = await serverOfTest()
    const project = await makeWorkspace(server, 'confirmed')
    const { id } = await project.uploadAndRun({ 'main.tf': 'resource "terraform_data" "a" {}' })
    await project.runIn(id, 'planned')
    const kept = await keptRunnerOf(server)
    await server.kill('SIGKILL')
    await server.start()
    await server.api.call('POST', `runs/${id}/actions/apply`)
    await project.runIn(id, 'applied')
    expect((await listProcesses()).map(({ pid }) => pid)).not.toContain(kept)
    await expectNothingLeft([server])
  })

  it('after a plan that is discarded then: nothing of it stays once a server is started', async () => {
    const server = await serverOfTest()
    const project = await makeWorkspace(server, 'discarded')
    const { id } = await project.uploadAndRun({ 'main.tf': 'resource "terraform_data" "a" {}' })
    await project.runIn(id, 'planned')
    await server.kill('SIGKILL')
    await server.start()
    await server.api.call('POST', `runs/${id}/actions/discard`)
    await server.kill('SIGKILL')
    await server.start()
    await expectNothingLeft([server])
  })
})

describe('a kept runner', () => {
  it('applies the plan that it made', async () => {
    const server = await serverOfTest()
    const [project, effects] = [await makeWorkspace(server, 'kept'), await makeSideEffects()]
    const { id } = await project.uploadAndRun({ 'main.tf': effects.configuration({ steps: 1, gates: [0] }) })
    await project.runIn(id, 'planned')
    const kept = await keptRunnerOf(server)
    await server.api.call('POST', `runs/${id}/actions/apply`)
    await effects.begun(0)
    expect(await runnerOf(server.workDir, id)).toBe(kept)
    await effects.open(0)
    await project.runIn(id, 'applied')
    await expectNothingLeft([server])
  })

  it('ends when its run is discarded', async () => {
    const server = await serverOfTest()
    const project = await makeWorkspace(server, 'unwanted')
    const { id } = await project.uploadAndRun({ 'main.tf': 'resource "terraform_data" "a" {}' })
    await project.runIn(id, 'planned')
    const kept = await keptRunnerOf(server)
    await server.api.call('POST', `runs/${id}/actions/discard`)
    await waitFor(async () => !(await listProcesses()).some(({ pid }) => pid === kept), { timeoutMs: 30_000, what: 'its end' })
    await expectNothingLeft([server])
  })
})

describe('a server told to end', () => {
  it('during several applies: it does within 30 s, none is interrupted, all are finished by the next one', async () => {
    const names = ['a', 'b', 'c', 'd']
    const server = await serverOfTest()
    const scenes = await Promise.all(
      names.map(async (name) => {
        const [project, effects] = [await makeWorkspace(server, name), await makeSideEffects()]
        const configuration = effects.configuration({ steps: 3, gates: [1], lines: 20 })
        const { id } = await project.uploadAndRun({ 'main.tf': configuration }, { 'auto-apply': true })
        return { project, effects, id }
      }),
    )
    for (const { effects } of scenes) await effects.begun(1)
    const before = performance.now()
    expect(await server.kill('SIGTERM')).toBe(0)
    expect(performance.now() - before).toBeLessThan(30_000)
    for (const { effects } of scenes) await effects.open(1)
    await server.start()
    for (const { project, effects, id } of scenes) {
      const applied = await project.runIn(id, 'applied', 'errored', 'canceled')
      expect(applied.attributes['status']).toBe('applied')
      expect(provisionerLines(await project.log(applied, 'apply'))).toHaveLength(60)
      expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 1 })
    }
    await expectNothingLeft([server])
  })
})
