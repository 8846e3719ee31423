import { describe, expect, it } from 'vitest'
import { provisionerLines } from '../harness/log-lines.ts'
import { killProcess, runnerOf } from '../harness/processes.ts'
import { makeProject, type Project } from '../harness/project.ts'
import { makeSideEffects, type SideEffects } from '../harness/side-effects.ts'
import { startSlowState } from '../harness/slow-state.ts'
import { serverOfTest, type TestServer } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'

const STEPS = [0, 1, 2, 3, 4]
const LINES = 50

type Scene = { server: TestServer; effects: SideEffects; project: Project; runId: string }

/** An apply of five steps that waits in the third, driven by the API alone: the CLI does not outlive every restart. */
const applyInTheMiddle = async (name: string): Promise<Scene> => {
  const [server, effects] = [await serverOfTest(), await makeSideEffects()]
  const project = await makeProject(server, { name, files: {} })
  await project.terraform(['init'])
  const { id } = await project.uploadAndRun(
    { 'main.tf': effects.configuration({ steps: STEPS.length, gates: [2, 3], lines: LINES }) },
    { 'auto-apply': true },
  )
  await effects.begun(2)
  return { server, effects, project, runId: id }
}

/** The run that was under way is the one that ends; its log has no gap and no repeat; nothing ran twice. */
const expectWhole = async ({ effects, project, runId }: Scene): Promise<void> => {
  const applied = await project.runIn(runId, 'applied', 'errored', 'canceled')
  const log = await project.log(applied, 'apply')
  expect(applied.attributes['status'], log).toBe('applied')
  expect(provisionerLines(log)).toEqual(STEPS.flatMap((step) => Array.from({ length: LINES }, (_, line) => `step ${step} line ${line}`)))
  expect(log.match(/Apply complete!/g)).toHaveLength(1)
  expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 1, 3: 1, 4: 1 })
  expect(await project.resources()).toEqual(STEPS.map((step) => ({ address: `terraform_data.step${step}`, isTainted: false })))
  expect(await project.runs()).toHaveLength(1)
  expect((await project.workspace()).attributes['locked']).toBe(false)
}

describe('in the middle of an apply', () => {
  it('R035: kill -9 of the server: the same run goes on after the restart', async () => {
    const scene = await applyInTheMiddle('killed')
    await scene.server.kill('SIGKILL')
    // The engine works on while nobody listens.
    await scene.effects.open(2)
    await scene.effects.begun(3)
    await scene.server.start()
    await scene.effects.open(3)
    await expectWhole(scene)
  })

  it('R035: kill -9 of the server, again and again', async () => {
    const scene = await applyInTheMiddle('flapping')
    for (const gate of [2, 3]) {
      await scene.server.kill('SIGKILL')
      await scene.server.start()
      await scene.server.kill('SIGKILL')
      await scene.effects.open(gate)
      await scene.server.start()
    }
    await expectWhole(scene)
  })

  it('R035: SIGTERM of the server: it ends at once and cleanly, and the same run goes on after the restart', async () => {
    const scene = await applyInTheMiddle('stopped')
    const before = performance.now()
    expect(await scene.server.kill('SIGTERM')).toBe(0)
    expect(performance.now() - before).toBeLessThan(15_000)
    await scene.effects.open(2)
    await scene.effects.begun(3)
    await scene.server.start()
    await scene.effects.open(3)
    await expectWhole(scene)
  })

  it('R035: kill -9 of server and runner at once: the finished resources are kept, the next run makes the rest', async () => {
    const { server, effects, project, runId } = await applyInTheMiddle('both')
    const runner = await runnerOf(server.workDir, runId)
    await server.kill('SIGKILL')
    killProcess(runner ?? 0)
    await server.start()
    const errored = await project.runIn(runId, 'errored', 'applied')
    expect(errored.attributes['status']).toBe('errored')
    expect(await project.log(errored, 'apply')).toContain('Runner lost')
    expect((await project.resources()).filter(({ isTainted }) => !isTainted).map(({ address }) => address)).toEqual([
      'terraform_data.step0',
      'terraform_data.step1',
    ])
    expect((await project.workspace()).attributes['locked']).toBe(false)

    await effects.open(2)
    await effects.open(3)
    const configuration = effects.configuration({ steps: STEPS.length, gates: [2, 3], lines: LINES })
    const { id } = await project.uploadAndRun({ 'main.tf': configuration }, { 'auto-apply': true })
    await project.runIn(id, 'applied')
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 2, 3: 1, 4: 1 })
    expect((await project.resources()).map(({ isTainted }) => isTainted)).toEqual([false, false, false, false, false])
  })
})

describe('in the middle of a plan', () => {
  it('kill -9 of the server: the plan goes on and is waited for', async () => {
    const [server, slow] = [await serverOfTest(), await startSlowState()]
    const project = await makeProject(server, { name: 'planning', files: {} })
    await project.terraform(['init'])
    const { id } = await project.uploadAndRun({ 'main.tf': slow.configuration() })
    await waitFor(() => slow.requests() === 1, { timeoutMs: 30_000, what: 'the plan to read its data source' })
    await server.kill('SIGKILL')
    slow.open()
    await server.start()
    const planned = await project.runIn(id, 'planned', 'errored')
    expect(planned.attributes).toMatchObject({ status: 'planned', 'has-changes': true, actions: { 'is-confirmable': true } })
    expect(slow.requests()).toBe(1)
    await server.api.call('POST', `runs/${id}/actions/apply`)
    await project.runIn(id, 'applied')
    expect(await project.resources()).toEqual([{ address: 'terraform_data.reader', isTainted: false }])
  })
})
