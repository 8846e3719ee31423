import { expect, it } from 'vitest'
import { created, prologue, workspace } from '../harness/cli-steps.ts'
import { makeProject } from '../harness/project.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { type Step, expectWire } from '../harness/wire.ts'

const server = recordedServerOfFile({ args: ['--runner-capacity', '1'] })

const one = { 'main.tf': 'resource "terraform_data" "a" {}' }

const newProject = async (name: string) => {
  const project = await makeProject(server(), { name, files: one })
  expect((await project.terraform(['init'])).code).toBe(0)
  return project
}

it('SEQ-17: a run that waits for a runner is told how many are before it, and goes on by itself, plan and apply', async () => {
  const effects = await makeSideEffects()
  const [busy, before, project] = [await newProject('busy'), await newProject('before'), await newProject('waits')]
  const atWork = await busy.uploadAndRun({ 'main.tf': effects.configuration({ steps: 1, gates: [0] }) }, { 'auto-apply': true })
  await effects.begun(0)
  const earlier = await before.uploadAndRun(one, { 'auto-apply': true })
  server().taken()
  const cli = await project.start(['apply', '-auto-approve', '-no-color'])
  await cli.sees('Waiting for 1 queued run(s) to finish before starting...')
  const why: Step[] = [workspace, 'GET organizations/:org/runs/queue 200', 'GET organizations/:org/capacity 200']
  expectWire(server().taken(), [...prologue, workspace, ...created, '+ GET runs/:id 200', ...why, '? GET runs/:id 200'])
  expect((await project.runs())[0]?.attributes['status']).toBe('pending')
  await effects.open(0)
  await busy.runIn(atWork.id, 'applied')
  await before.runIn(earlier.id, 'applied')
  expect(await cli.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Apply complete! Resources: 1 added') })
})
