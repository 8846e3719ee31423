import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applied, plan, prologue, workspace } from '../harness/cli-steps.ts'
import { type Project, makeDirectory, makeProject } from '../harness/project.ts'
import { recordedServerOfFile } from '../harness/recorded-server.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { startSlowState } from '../harness/slow-state.ts'
import { terraform } from '../harness/terraform-cli.ts'
import { comparableOutput } from '../harness/comparable-output.ts'
import { bodyOf, expectWire } from '../harness/wire.ts'

const server = recordedServerOfFile()

const main = `
variable "word" {
  default = "one"
}
resource "terraform_data" "a" {
  input = var.word
}
`

const newProject = async (name: string, text = main): Promise<Project> => {
  const project = await makeProject(server(), { name, files: { 'main.tf': text } })
  expect((await project.terraform(['init'])).code).toBe(0)
  server().taken()
  return project
}

const planFileOf = (run: string, hostname = server().hostname): string =>
  `${JSON.stringify({ remote_plan_format: 1, run_id: run, hostname })}\n`

/** Text of the refusal to apply `file`, in one line. */
const refusal = async (project: Project, file: string): Promise<string> => {
  const { code, stdout, stderr } = await project.terraform(['apply', '-no-color', file])
  expect(code, stdout).toBe(1)
  return stderr.replaceAll(/\s+/g, ' ')
}

describe('a saved plan', () => {
  it('SEQ-15, SEQ-16: is written, shown and applied, once', async () => {
    const project = await newProject('saved')
    const local = await makeDirectory({ 'main.tf': main })
    await terraform(local, ['init'])
    const [there, here] = [await project.terraform(['plan', '-out=f']), await terraform(local, ['plan', '-out=f'])]
    expect(comparableOutput(there.stdout)).toEqual(comparableOutput(here.stdout))
    const asked = server().taken()
    expectWire(asked, plan)
    expect(bodyOf(asked, 'POST', '/configuration-versions')).toMatchObject({
      data: { attributes: { speculative: false, provisional: true } },
    })
    expect(bodyOf(asked, 'POST', '/runs')).toMatchObject({ data: { attributes: { 'save-plan': true } } })
    const [run] = await project.runs()
    expect(run?.attributes).toMatchObject({ status: 'planned_and_saved', actions: { 'is-confirmable': true, 'is-discardable': true } })
    expect(JSON.parse(await readFile(join(project.directory, 'f'), 'utf8'))).toMatchObject({ run_id: run?.id })

    // Others are free to work meanwhile.
    expect((await project.workspace()).attributes['locked']).toBe(false)
    const shown = await project.terraform(['show', 'f'])
    const shownHere = comparableOutput((await terraform(local, ['show', 'f'])).stdout)
    expect(comparableOutput(shown.stdout)).toEqual([...shownHere, 'Run status: planned and saved (confirmable)', 'Workspace is unlocked'])
    const look = [...prologue, 'GET runs/:id?include=plan,workspace 200']
    expectWire(server().taken(), [...look, 'GET plans/:id/json-output-redacted 307', 'GET plan-json-redacted 200'])
    const json = JSON.parse((await project.terraform(['show', '-json', 'f'])).stdout)
    expectWire(server().taken(), [...look, 'GET plans/:id/json-output 307', 'GET plan-json 200'])
    const { timestamp: _then, ...jsonHere } = JSON.parse((await terraform(local, ['show', '-json', 'f'])).stdout)
    expect(json).toMatchObject(jsonHere)

    const done = await project.terraform(['apply', 'f'])
    expect(comparableOutput(done.stdout)).toEqual(comparableOutput((await terraform(local, ['apply', 'f'])).stdout))
    const look2 = [...prologue, workspace, 'GET runs/:id?include=workspace 200']
    expectWire(server().taken(), [...look2, 'POST runs/:id/actions/apply 202', ...applied])
    const after = await project.run(run?.id ?? '')
    expect(after.attributes).toMatchObject({ status: 'applied', actions: { 'is-confirmable': false } })
    expect(await refusal(project, 'f')).toContain(
      'Error: Saved plan is already applied The given plan file was already successfully applied',
    )
    expectWire(server().taken(), look2)
    expect((await project.terraform(['show', '-no-color', 'f'])).stdout).toContain('Run status: applied (not confirmable)')
  })

  it('SEQ-15: says why it can no longer be applied: discarded, overtaken, without changes, or of another place', async () => {
    const project = await newProject('refused')
    await project.terraform(['plan', '-out=discarded'])
    await server().api.call('POST', `runs/${(await project.runs())[0]?.id}/actions/discard`)
    await project.terraform(['plan', '-out=overtaken'])
    await project.terraform(['plan', '-out=good', '-var=word=two'])
    expect((await project.terraform(['apply', 'good'])).code).toBe(0)
    await project.terraform(['plan', '-out=same', '-var=word=two'])
    const discarded = 'Error: Saved plan is discarded The given plan file can no longer be applied; either another run was applied first'
    expect(await refusal(project, 'discarded')).toContain(discarded)
    expect(await refusal(project, 'overtaken')).toContain(discarded)
    expect(await refusal(project, 'same')).toContain('Error: Saved plan has no changes')

    const other = await newProject('other-place')
    await other.write({
      elsewhere: await readFile(join(project.directory, 'good'), 'utf8'),
      stranger: planFileOf('run-abcdefghijklmnop', 'elsewhere.example.com'),
      unknown: planFileOf('run-abcdefghijklmnop'),
    })
    expect(await refusal(other, 'elsewhere')).toContain('Error: Saved plan is for a different workspace')
    expect(await refusal(other, 'stranger')).toContain('Error: Saved plan is for a different hostname')
    expect(await refusal(other, 'unknown')).toContain('Error: resource not found')
  })

  it('SEQ-15: says why it cannot be applied yet or any more: planning, canceled, errored, being applied', async () => {
    const [slow, effects] = [await startSlowState(), await makeSideEffects()]
    const project = await newProject('states')
    const save = (text: string) => project.uploadAndRun({ 'main.tf': text }, { 'save-plan': true })
    const apply = async (id: string): Promise<string> => {
      await project.write({ f: planFileOf(id) })
      return refusal(project, 'f')
    }
    const planning = await save(slow.configuration())
    await project.runIn(planning.id, 'planning')
    expect(await apply(planning.id)).toContain('Error: Saved plan cannot be applied')
    await server().api.call('POST', `runs/${planning.id}/actions/cancel`)
    slow.open()
    await project.runIn(planning.id, 'canceled')
    expect(await apply(planning.id)).toContain('Error: Saved plan is canceled')

    const errored = await project.runIn((await save('output "x" {\n  value = file("missing")\n}\n')).id, 'errored')
    expect(await apply(errored.id)).toContain('Error: Saved plan is errored')

    const applying = await project.runIn((await save(effects.configuration({ steps: 1, gates: [0] }))).id, 'planned_and_saved')
    await server().api.call('POST', `runs/${applying.id}/actions/apply`)
    await effects.begun(0)
    expect(await apply(applying.id)).toContain('Error: Saved plan is already confirmed')
    expect((await project.terraform(['show', '-no-color', 'f'])).stdout).toContain('Workspace is locked')
    await effects.open(0)
    await project.runIn(applying.id, 'applied')
  })
})
