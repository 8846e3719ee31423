import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFakeClock } from '../../harness/fake-clock.ts'
import { type HandRunner, makeHandRunner } from '../../harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../../harness/runs.ts'

const clock = makeFakeClock()
let api: RunApi
let hand: HandRunner

beforeAll(async () => {
  api = await makeRunApi({ clock })
  hand = makeHandRunner(api)
})
afterAll(() => api.drop())

const newRun = async (attributes: Record<string, unknown> = {}) => {
  const { id } = await api.newWorkspace()
  await api.configured(id)
  const runId = await api.newRun(id, attributes)
  const run = await api.run(runId)
  const idOf = (kind: string): string => {
    const linkage = run.relationships[kind]?.data
    return linkage === null || linkage === undefined || Array.isArray(linkage) ? '' : linkage.id
  }
  return { workspaceId: id, runId, planId: idOf('plan'), applyId: idOf('apply') }
}
const blobOf = async (document: unknown): Promise<string> => {
  const bytes = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(JSON.stringify(document))
  }
  return (await api.blobs.put(bytes(), { maxBytes: 1_000_000 })).key
}
const get = (path: string) => api.request('GET', path)
const fetchText = async (url: unknown): Promise<[number, string]> => {
  const { status, text } = await api.request('GET', String(url), { token: '' })
  return [status, text]
}

describe('plans and applies', () => {
  it('are there from the start, and count at the end', async () => {
    const { runId, planId, applyId } = await newRun()
    const before = (await get(`plans/${planId}`)).one()
    expect(before.attributes).toMatchObject({
      status: 'queued',
      'has-changes': false,
      'generated-configuration': false,
      'resource-additions': null,
      'execution-details': { mode: 'remote' },
    })
    expect(before.relationships).toMatchObject({ exports: { data: [] } })
    expect((await get(`applies/${applyId}`)).one().attributes).toMatchObject({ status: 'pending' })
    await hand.plan(runId, { counts: { add: 1, change: 2, remove: 3, import: 4 }, hasGeneratedConfiguration: true })
    expect((await get(`plans/${planId}`)).one().attributes).toMatchObject({
      status: 'finished',
      'has-changes': true,
      'generated-configuration': true,
      'resource-additions': 1,
      'resource-changes': 2,
      'resource-destructions': 3,
      'resource-imports': 4,
    })
  })

  it('are no substitute for each other', async () => {
    const { planId, applyId } = await newRun()
    expect((await get(`plans/${applyId}`)).status).toBe(404)
    expect((await get(`applies/${planId}`)).status).toBe(404)
  })

  it('name the state versions that the apply has written', async () => {
    const { workspaceId, runId, applyId } = await newRun({ 'auto-apply': true })
    await hand.plan(runId)
    await hand.begin(runId, 'apply')
    const bytes = Buffer.from(
      JSON.stringify({ version: 4, serial: 1, lineage: 'l', terraform_version: '1.11.4', outputs: {}, resources: [] }),
    )
    await api.state.commitRunSnapshot({ workspaceId, runId, lineage: 'l', serial: 1, bytes })
    await hand.end(runId, 'apply', 'fail')
    const current = (await get(`workspaces/${workspaceId}/current-state-version`)).one()
    expect((await get(`applies/${applyId}`)).one().relationships['state-versions']?.data).toEqual([
      { type: 'state-versions', id: current.id },
    ])
  })
})

describe('log-read-url', () => {
  const urlOf = async (planId: string): Promise<string> => String((await get(`plans/${planId}`)).one().attributes['log-read-url'])

  it('reads pieces without a token, and any query', async () => {
    const { runId, planId } = await newRun()
    const url = await urlOf(planId)
    expect(await fetchText(`${url}?limit=65536&offset=0`)).toEqual([200, '\u0002'])
    await hand.begin(runId, 'plan')
    await hand.log(runId, 'plan', 'planning ✓\n')
    expect(await fetchText(`${url}?limit=4&offset=1`)).toEqual([200, 'plan'])
    expect(await fetchText(url)).toEqual([200, '\u0002planning ✓\n'])
    expect(await fetchText(`${url}?offset=-5&limit=many`)).toEqual([200, '\u0002planning ✓\n'])
    expect(await fetchText(`${url}?offset=999&limit=10`)).toEqual([200, ''])
    await hand.end(runId, 'plan', 'fail')
    expect(await fetchText(`${url}?offset=0`)).toEqual([200, '\u0002planning ✓\n\u0003'])
    const answer = await api.request('GET', url, { token: '' })
    expect(answer.headers.get('content-type')).toContain('text/plain')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('is good for nothing when it was changed or is for something else', async () => {
    const [one, other] = [await newRun(), await newRun()]
    const url = await urlOf(one.planId)
    expect((await fetchText(url.replace(one.planId, other.planId)))[0]).toBe(404)
    expect((await fetchText(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`))[0]).toBe(404)
    expect((await fetchText(url.replace('/log/', '/plan-json/')))[0]).toBe(404)
    clock.advance(26 * 3_600_000)
    expect((await fetchText(url))[0]).toBe(410)
  })
})

describe('the JSON output of a plan', () => {
  const schemas = { format_version: '1.0', provider_schemas: {} }
  const plan = { format_version: '1.2', terraform_version: '1.11.4', variables: { a: { value: 'secret' } } }
  const redacted = { format_version: '1.2', terraform_version: '1.11.4', variables: { a: { value: null } } }
  const paths = (planId: string, runId: string): [string, unknown][] => [
    [`plans/${planId}/json-output`, plan],
    [`runs/${runId}/plan/json-output`, plan],
    [`plans/${planId}/json-output-redacted`, { ...redacted, provider_format_version: '1.0', provider_schemas: {} }],
    [`plans/${planId}/json-schema`, schemas],
  ]

  it('is 204 before, 307 to a document after', async () => {
    const { runId, planId } = await newRun()
    for (const [path] of paths(planId, runId)) expect((await get(path)).status).toBe(204)
    await hand.plan(runId, {
      planJsonBlobKey: await blobOf(plan),
      redactedJsonBlobKey: await blobOf(redacted),
      schemasBlobKey: await blobOf(schemas),
    })
    for (const [path, document] of paths(planId, runId)) {
      const answer = await get(path)
      expect([path, answer.status]).toEqual([path, 307])
      const [status, text] = await fetchText(answer.headers.get('location'))
      expect(status).toBe(200)
      expect(JSON.parse(text)).toEqual(document)
    }
    const links = (await get(`plans/${planId}`)).one().links
    expect(links).toMatchObject({
      'json-output': `/api/v2/plans/${planId}/json-output`,
      'json-output-redacted': `/api/v2/plans/${planId}/json-output-redacted`,
      'json-schema': `/api/v2/plans/${planId}/json-schema`,
    })
  })

  it('is 404 when the plan ended without', async () => {
    const { runId, planId } = await newRun()
    await hand.begin(runId, 'plan')
    await hand.end(runId, 'plan', 'fail')
    for (const [path] of paths(planId, runId)) expect((await get(path)).status).toBe(404)
  })

  it('is to be had for a minute by its URL', async () => {
    const { runId, planId } = await newRun()
    await hand.plan(runId, { planJsonBlobKey: await blobOf(plan) })
    const location = (await get(`plans/${planId}/json-output`)).headers.get('location')
    clock.advance(61_000)
    expect((await fetchText(location))[0]).toBe(410)
  })
})
