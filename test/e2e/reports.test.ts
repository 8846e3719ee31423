import { describe, expect, it } from 'vitest'
import { logText } from '../harness/log-lines.ts'
import { type Project, makeProject } from '../harness/project.ts'
import { serverOfFile } from '../harness/terrane-server.ts'

const server = serverOfFile()

/** Reads the outputs of `workspace` of `organization`, as a plan can do it, and once more as only the apply can. */
const reading = (workspace: string, organization = 'e2e') => `
data "terraform_remote_state" "planned" {
  backend = "remote"
  config = {
    hostname     = "${server().hostname}"
    organization = "${organization}"
    workspaces   = { name = "${workspace}" }
  }
}
resource "terraform_data" "first" {}
data "terraform_remote_state" "applied" {
  backend    = "remote"
  depends_on = [terraform_data.first]
  config = {
    hostname     = "${server().hostname}"
    organization = "${organization}"
    workspaces   = { name = "${workspace}" }
  }
}
output "planned" { value = data.terraform_remote_state.planned.outputs.word }
output "applied" { value = data.terraform_remote_state.applied.outputs.word }
`

/** Applied by a run of its own, with `main.tf`; answers the run at its end and what the phase in which it ended said. */
const runOf = async (project: Project, main: string) => {
  const { id } = await project.uploadAndRun({ 'main.tf': main }, { 'auto-apply': true })
  const run = await project.runIn(id, 'applied', 'planned_and_finished', 'errored')
  const phase = run.attributes['status'] === 'applied' ? 'apply' : 'plan'
  return { run, log: logText(await project.log(run, phase)) }
}

const newProject = async (name: string): Promise<Project> => {
  const project = await makeProject(server(), { name, files: {} })
  expect((await project.terraform(['init'])).code).toBe(0)
  return project
}

describe('state sharing', () => {
  it('R068: a run reads the state of another workspace when that shares it, and nothing otherwise', async () => {
    const producer = await newProject('producer')
    expect((await runOf(producer, 'output "word" {\n  value = "from the producer"\n}\n')).run.attributes['status']).toBe('applied')
    const { id: producerId } = await producer.workspace()
    const consumer = await newProject('consumer')
    const { id: consumerId } = await consumer.workspace()
    const share = (attributes: Record<string, unknown>) =>
      server().api.call('PATCH', `workspaces/${producerId}`, { type: 'workspaces', attributes })
    const consumers = [{ type: 'workspaces', id: consumerId }]

    const off = await runOf(consumer, reading('producer'))
    expect(off.run.attributes['status']).toBe('errored')
    expect(off.log).toContain('resource not found')
    const workspaces = await server().api.call('GET', 'organizations/e2e/workspaces')
    expect(workspaces.data.map(({ attributes }) => attributes['name']).toSorted()).toEqual(['consumer', 'producer'])

    await server().api.call('POST', `workspaces/${producerId}/relationships/remote-state-consumers`, consumers)
    const named = await runOf(consumer, reading('producer'))
    expect(named.run.attributes['status'], named.log).toBe('applied')
    const outputs = JSON.parse((await consumer.terraform(['output', '-json'])).stdout)
    expect(outputs).toMatchObject({ planned: { value: 'from the producer' }, applied: { value: 'from the producer' } })

    await server().api.call('PATCH', `workspaces/${producerId}/relationships/remote-state-consumers`, [])
    expect((await runOf(consumer, reading('producer'))).log).toContain('resource not found')

    await share({ 'global-remote-state': true })
    const shared = await runOf(consumer, reading('producer'))
    expect(shared.run.attributes['status'], shared.log).toBe('planned_and_finished')

    await server().api.call('POST', 'organizations', { type: 'organizations', attributes: { name: 'elsewhere', email: 'e@example.com' } })
    const attributes = { name: 'theirs', 'global-remote-state': true }
    await server().api.call('POST', 'organizations/elsewhere/workspaces', { type: 'workspaces', attributes })
    const other = await runOf(consumer, reading('theirs', 'elsewhere'))
    expect(other.run.attributes['status']).toBe('errored')
    expect(other.log).toMatch(/not found/)
  })
})
