import { expect, it } from 'vitest'
import { logText } from '../harness/log-lines.ts'
import { listProcesses, runnerOf } from '../harness/processes.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { startSlowState } from '../harness/slow-state.ts'
import { serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { keptRunnerOf } from './kept-runner-of.ts'
import { makeWorkspace } from './make-workspace.ts'
import { untilTold } from './until-told.ts'

/** A dead peer is noticed after 30 s, and three times nobody answers for 5 s. */
const NOTICED_MS = 90_000

it('runners that hang without dying are noticed: a plan is made again, an apply keeps its state, a cancel ends, a kept one is replaced', async () => {
  const server = await serverOfTest()
  // Alone at first, so that the one that is bound and idle is its.
  const kept = await makeWorkspace(server, 'kept')
  const waiting = await kept.uploadAndRun({ 'main.tf': 'resource "terraform_data" "a" {}' })
  await kept.runIn(waiting.id, 'planned')
  const stopped = [await keptRunnerOf(server)]

  const slow = await startSlowState()
  const planning = await makeWorkspace(server, 'planning')
  const plan = await planning.uploadAndRun({ 'main.tf': slow.configuration() }, { 'auto-apply': true })
  await waitFor(() => slow.requests() === 1, { timeoutMs: 30_000, what: 'the plan' })
  stopped.push((await runnerOf(server.workDir, plan.id)) ?? 0)
  const scenes = await Promise.all(
    ['applying', 'canceled'].map(async (name) => {
      const [project, effects] = [await makeWorkspace(server, name), await makeSideEffects()]
      const { id } = await project.uploadAndRun({ 'main.tf': effects.configuration({ steps: 3, gates: [2] }) }, { 'auto-apply': true })
      await effects.begun(2)
      await untilTold(project, id, 'terraform_data.step2: Creating')
      stopped.push((await runnerOf(server.workDir, id)) ?? 0)
      return { project, id }
    }),
  )
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  const before = performance.now()
  const [applying, canceling] = scenes
  if (applying === undefined || canceling === undefined) throw new Error('both were made above')
  expect((await server.api.raw('POST', `runs/${canceling.id}/actions/cancel`)).status).toBe(202)
  await server.api.call('POST', `runs/${waiting.id}/actions/apply`)

  await waitFor(() => slow.requests() === 2, { timeoutMs: NOTICED_MS, what: 'the second plan' })
  slow.open()
  await kept.runIn(waiting.id, 'applied')
  const errored = await applying.project.runIn(applying.id, 'errored', 'applied')
  const canceled = await canceling.project.runIn(canceling.id, 'canceled', 'errored', 'applied')
  expect(performance.now() - before).toBeLessThan(NOTICED_MS)
  expect(errored.attributes['status']).toBe('errored')
  expect(canceled.attributes['status']).toBe('canceled')
  for (const [run, { project }] of [
    [errored, applying],
    [canceled, canceling],
  ] as const) {
    expect(logText(await project.log(run, 'apply'))).toContain('In flight when it was lost: terraform_data.step2 (create)')
    const finished = (await project.resources()).filter(({ isTainted }) => !isTainted)
    expect(finished.map(({ address }) => address)).toEqual(['terraform_data.step0', 'terraform_data.step1'])
    expect((await project.workspace()).attributes['locked']).toBe(false)
  }
  await planning.runIn(plan.id, 'applied')
  expect((await listProcesses()).map(({ pid }) => pid).filter((pid) => stopped.includes(pid))).toEqual([])
  await expectNothingLeft([server])
})
