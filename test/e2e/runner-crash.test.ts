import { describe, expect, it } from 'vitest'
import { logText } from '../harness/log-lines.ts'
import { killProcess, runnerOf } from '../harness/processes.ts'
import { makeProject } from '../harness/project.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { startSlowState } from '../harness/slow-state.ts'
import { serverOfFile } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'

const server = serverOfFile()

const killRunner = async (runId: string): Promise<void> => {
  killProcess(await waitFor(() => runnerOf(server().workDir, runId), { timeoutMs: 20_000, what: `the runner of ${runId}` }))
}

describe('kill -9 of a runner', () => {
  it('R018, R022: in the middle of an apply keeps every finished resource; the next apply makes the rest, nothing twice', async () => {
    const effects = await makeSideEffects()
    const project = await makeProject(server(), { name: 'apply', files: { 'main.tf': effects.configuration({ steps: 5, gates: [2] }) } })
    await project.terraform(['init'])
    const apply = await project.start(['apply', '-auto-approve', '-no-color'])
    await effects.begun(2)
    const [first] = await project.runs()
    await killRunner(first?.id ?? '')

    const { code, stdout } = await apply.ended
    expect(code).toBe(1)
    expect(stdout).toContain('Error: Runner lost')
    expect(stdout).toContain('terraform_data.step2')
    const errored = await project.runIn(first?.id ?? '', 'errored')
    expect(logText(await project.log(errored, 'apply'))).toContain('Runner lost')
    expect((await project.workspace()).attributes['locked']).toBe(false)
    const kept = await project.resources()
    expect(kept.filter(({ isTainted }) => !isTainted)).toEqual(
      [0, 1].map((step) => ({ address: `terraform_data.step${step}`, isTainted: false })),
    )

    await effects.open(2)
    expect((await project.terraform(['apply', '-auto-approve'])).code).toBe(0)
    expect((await project.resources()).map(({ isTainted }) => isTainted)).toEqual([false, false, false, false, false])
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 2, 3: 1, 4: 1 })
  })

  it('in the middle of a plan starts it again', async () => {
    const slow = await startSlowState()
    const project = await makeProject(server(), { name: 'plan', files: { 'main.tf': slow.configuration() } })
    await project.terraform(['init'])
    const plan = await project.start(['plan', '-no-color'])
    await waitFor(() => slow.requests() === 1, { timeoutMs: 30_000, what: 'the plan to read its data source' })
    await killRunner((await project.runs())[0]?.id ?? '')
    await waitFor(() => slow.requests() === 2, { timeoutMs: 60_000, what: 'the second attempt' })
    slow.open()
    const { code, stdout } = await plan.ended
    expect(code).toBe(0)
    expect(stdout).toContain('planning again (attempt 2 of 3)')
    expect(stdout).toContain('Plan: 1 to add, 0 to change, 0 to destroy.')
    expect(stdout).toContain('"from afar"')
  })

  it('three times in a plan ends the run with the reason', async () => {
    const slow = await startSlowState()
    const project = await makeProject(server(), { name: 'unlucky', files: { 'main.tf': slow.configuration() } })
    await project.terraform(['init'])
    const plan = await project.start(['plan', '-no-color'])
    for (const attempt of [1, 2, 3]) {
      await waitFor(() => slow.requests() === attempt, { timeoutMs: 60_000, what: `attempt ${attempt}` })
      await killRunner((await project.runs())[0]?.id ?? '')
    }
    expect(await plan.ended).toMatchObject({ code: 1, stdout: expect.stringContaining('Runner lost') })
    expect((await project.runs())[0]?.attributes['status']).toBe('errored')
  })
})
