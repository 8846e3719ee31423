import { describe, expect, it } from 'vitest'
import { provisionerLines } from '../harness/log-lines.ts'
import { enginesIn, runnerOf } from '../harness/processes.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { makeWorkspace } from './make-workspace.ts'

const postgres = process.env['TERRANE_CHAOS_DATABASE_URL'] ?? ''
const args = ['--lease-seconds', '4']

describe('two servers on one PostgreSQL', () => {
  it('one is killed in an apply: within 5 s the other goes on with the same runner, terraform runs once', async () => {
    // The lease is the usual one: it is not waited for.
    const first = await serverOfTest({ postgres })
    const [project, effects] = [await makeWorkspace(first, 'ha'), await makeSideEffects()]
    const configuration = effects.configuration({ steps: 3, gates: [1, 2], lines: 100 })
    const { id } = await project.uploadAndRun({ 'main.tf': configuration }, { 'auto-apply': true })
    await effects.begun(1)
    // Only now, so that it is known whose run it is.
    const second = await serverOfTest({ beside: first })
    const [runner, engines] = [await runnerOf(first.workDir, id), await enginesIn(first.workDir)]
    expect(engines).toHaveLength(1)
    await first.kill('SIGKILL')
    const before = performance.now()
    await effects.open(1)
    await effects.begun(2)
    await waitFor(() => second.stderr().includes('took over a running phase'), { timeoutMs: 20_000, what: 'the take-over' })
    expect(performance.now() - before).toBeLessThan(5000)
    expect(await enginesIn(first.workDir)).toEqual(engines)
    expect(await runnerOf(first.workDir, id)).toBe(runner)
    await effects.open(2)
    const statusOf = async () => (await second.api.call('GET', `runs/${id}`)).data.attributes['status']
    await waitFor(async () => (await statusOf()) === 'applied', { timeoutMs: 30_000, what: 'the end of the run' })
    await first.start()
    const log = await project.log(await project.run(id), 'apply')
    expect(provisionerLines(log)).toEqual(
      [0, 1, 2].flatMap((step) => Array.from({ length: 100 }, (_, line) => `step ${step} line ${line}`)),
    )
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 1 })
    expect((await project.workspace()).attributes['locked']).toBe(false)
  })

  it('one stops for a while and comes back: the other has its run by then, and it does not touch it any more', async () => {
    const first = await serverOfTest({ postgres, args })
    const [project, effects] = [await makeWorkspace(first, 'paused'), await makeSideEffects()]
    const configuration = effects.configuration({ steps: 3, gates: [1], lines: 100 })
    const { id } = await project.uploadAndRun({ 'main.tf': configuration }, { 'auto-apply': true })
    await effects.begun(1)
    const second = await serverOfTest({ beside: first, args })
    process.kill(first.pid(), 'SIGSTOP')
    try {
      await waitFor(() => second.stderr().includes('took over a running phase'), { timeoutMs: 20_000, what: 'the take-over' })
    } finally {
      process.kill(first.pid(), 'SIGCONT')
    }
    await waitFor(() => first.stderr().includes('phase was taken away'), { timeoutMs: 20_000, what: 'the first server to notice' })
    await effects.open(1)
    const applied = await project.runIn(id, 'applied', 'errored', 'canceled')
    const log = await project.log(applied, 'apply')
    expect(applied.attributes['status'], log.slice(-500)).toBe('applied')
    expect(provisionerLines(log)).toHaveLength(300)
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 1 })
  })

  it('share their work: each run is executed once, whoever takes it', async () => {
    const first = await serverOfTest({ postgres, args })
    const second = await serverOfTest({ beside: first, args })
    const scenes = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const [project, effects] = [await makeWorkspace(index % 2 === 0 ? first : second, `shared-${index}`), await makeSideEffects()]
        return { project, effects }
      }),
    )
    const runs = await Promise.all(
      scenes.map(({ project, effects }) =>
        project.uploadAndRun({ 'main.tf': effects.configuration({ steps: 2, gates: [] }) }, { 'auto-apply': true }),
      ),
    )
    for (const [index, { project, effects }] of scenes.entries()) {
      const ended = await project.runIn(runs[index]?.id ?? '', 'applied', 'errored')
      expect(ended.attributes['status'], await project.log(ended, 'plan')).toBe('applied')
      expect(await effects.counts()).toEqual({ 0: 1, 1: 1 })
    }
  })
})
