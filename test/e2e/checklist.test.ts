import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Resource } from '../harness/api-client.ts'
import { type Project, makeProject } from '../harness/project.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { serverOfFile, serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'

/** What the terraform CLI relies on and does not show by itself. The numbers are those of the list in README.md. */

const server = serverOfFile()

const one = { 'main.tf': 'resource "terraform_data" "a" {}' }

const newProject = async (name: string): Promise<Project> => {
  const project = await makeProject(server(), { name, files: {} })
  await server().api.call('POST', 'organizations/e2e/workspaces', { type: 'workspaces', attributes: { name } })
  return project
}

const send = (method: string, path: string, { token = server().adminToken, body = '' } = {}) =>
  fetch(`${server().url}/api/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
    ...(method === 'GET' ? {} : { body }),
  })

const relatedId = (run: Resource, name: string): string => {
  const data = run.relationships?.[name]?.data
  if (data === undefined || data === null || Array.isArray(data)) throw new Error(`the run has no ${name}`)
  return data.id
}

describe('the answers that the CLI relies on', () => {
  it('CHK-01, CHK-21: ping has the version headers with any token, and no limit that the client throttles itself by', async () => {
    for (const token of [server().adminToken, 'of-nobody', '']) {
      const { status, headers } = await send('GET', 'ping', { token })
      expect(status).toBe(204)
      expect(Number(headers.get('tfp-api-version'))).toBeGreaterThanOrEqual(2.5)
      expect(headers.get('tfp-appname')).toBe('HCP Terraform')
      expect(headers.get('x-ratelimit-limit')).toBeNull()
    }
  })

  it('CHK-01: a server that calls itself Terraform Enterprise has its plans rendered by the CLI as well', async () => {
    const enterprise = await serverOfTest({ args: ['--app-name', 'Terraform Enterprise'] })
    const project = await makeProject(enterprise, { name: 'rendered', files: one })
    expect((await project.terraform(['init'])).code).toBe(0)
    const { stdout } = await project.terraform(['plan', '-no-color'])
    expect(stdout).toContain('Running plan in Terraform Enterprise')
    expect(stdout).toContain('Plan: 1 to add, 0 to change, 0 to destroy.')
  })

  it('CHK-02: documents without an id or a type, and empty bodies, are taken', async () => {
    const { id } = await (await newProject('bodies')).workspace()
    const attributes = { 'terraform-version': '1.11.4' }
    const calls: [method: string, path: string, body: unknown][] = [
      ['PATCH', `workspaces/${id}`, { data: { type: 'workspaces', attributes } }],
      ['POST', `workspaces/${id}/actions/lock`, { data: { type: '', attributes: { reason: 'Locked by Terraform' } } }],
      ['POST', `workspaces/${id}/actions/unlock`, undefined],
      ['POST', `workspaces/${id}/actions/lock`, undefined],
      ['POST', `workspaces/${id}/actions/force-unlock`, undefined],
    ]
    for (const [method, path, body] of calls) {
      const answer = await send(method, path, { body: body === undefined ? '' : JSON.stringify(body) })
      expect(answer.status, path).toBe(200)
      expect(await answer.json()).toMatchObject({ data: { id, type: 'workspaces' } })
    }
    expect((await send('POST', 'organizations/e2e/workspaces/bodies/actions/safe-delete')).status).toBe(204)
  })

  it('CHK-03: include=workspace,plan has both, by the ids of the run', async () => {
    const project = await newProject('included')
    const run = await project.runIn((await project.uploadAndRun(one)).id, 'planned')
    const { included = [] } = await server().api.call('GET', `runs/${run.id}?include=workspace,plan`)
    expect(included.map(({ type, id }) => [type, id]).toSorted()).toEqual([
      ['plans', relatedId(run, 'plan')],
      ['workspaces', relatedId(run, 'workspace')],
    ])
  })

  it('CHK-04: a log is readable from the beginning of the run, without a token, by offset, with its marks', async () => {
    const effects = await makeSideEffects()
    const project = await newProject('log')
    await project.uploadAndRun({ 'main.tf': effects.configuration({ steps: 1, gates: [0] }) }, { 'auto-apply': true })
    await effects.begun(0)
    const waiting = await project.uploadAndRun(one)
    const { data: plan } = await server().api.call('GET', `plans/${relatedId(waiting, 'plan')}`)
    const url = String(plan.attributes['log-read-url'])
    const read = async (query: string): Promise<{ status: number; text: string }> => {
      const answer = await fetch(`${url}?${query}`)
      return { status: answer.status, text: await answer.text() }
    }
    expect(await read('limit=65536&offset=0')).toEqual({ status: 200, text: '\u0002' })
    await effects.open(0)
    await project.runIn(waiting.id, 'planned')
    const whole = await read('offset=0&limit=65536&anything=else')
    expect(whole.text.startsWith('\u0002')).toBe(true)
    expect(whole.text.endsWith('\u0003')).toBe(true)
    const bytes = Buffer.from(whole.text)
    expect((await read('limit=7&offset=3')).text).toBe(bytes.subarray(3, 10).toString('utf8'))
    for (const offset of [bytes.length, bytes.length + 1000])
      expect(await read(`limit=65536&offset=${offset}`)).toEqual({ status: 200, text: '' })
  })

  it('CHK-05: a run is as it will be when its plan has ended', async () => {
    const project = await newProject('instant')
    for (const [configuration, status, isConfirmable] of [
      [one, 'planned', true],
      [{ 'main.tf': '' }, 'planned_and_finished', false],
      [{ 'main.tf': 'output "x" {\n  value = file("missing")\n}' }, 'errored', false],
    ] as const) {
      const { id, ...created } = await project.uploadAndRun(configuration)
      const planId = relatedId({ id, ...created }, 'plan')
      await waitFor(
        async () => {
          const { data } = await server().api.call('GET', `plans/${planId}`)
          return ['finished', 'errored'].includes(String(data.attributes['status']))
        },
        { timeoutMs: 60_000, everyMs: 5, what: 'the plan to end' },
      )
      const run = await project.run(id)
      expect(run.attributes).toMatchObject({ status, 'has-changes': isConfirmable, actions: { 'is-confirmable': isConfirmable } })
      if (isConfirmable) await server().api.call('POST', `runs/${id}/actions/discard`)
    }
  })

  it('CHK-18: an uploaded configuration is so with the answer of the upload', async () => {
    const { id } = await (await newProject('uploaded')).workspace()
    const { data: version } = await server().api.call('POST', `workspaces/${id}/configuration-versions`, {
      type: 'configuration-versions',
      attributes: { 'auto-queue-runs': false, speculative: true, provisional: false },
    })
    // Two blocks of zeros: an archive of nothing, packed.
    await server().api.put(String(version.attributes['upload-url']), gzipSync(Buffer.alloc(1024)))
    const { data } = await server().api.call('GET', `configuration-versions/${version.id}`)
    expect(data.attributes['status']).toBe('uploaded')
  })
})
