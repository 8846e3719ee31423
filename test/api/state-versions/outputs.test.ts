import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StateApi, type TestWorkspace, makeStateApi } from './state-api.ts'

const VALUES: [name: string, value: string, type: string, wireType: string][] = [
  ['big', '9007199254740993', '"number"', 'number'],
  ['bigger', '12345678901234567890', '"number"', 'number'],
  ['float', '1.0', '"number"', 'number'],
  ['huge', '1e400', '"number"', 'number'],
  ['zero', '-0.0', '"number"', 'number'],
  ['yes', 'true', '"bool"', 'boolean'],
  ['unicode', '"ключ \\u00e9 \\" \\\\ \\ud83d\\ude00"', '"string"', 'string'],
  ['order', '{"b":1,"a":2,"10":3,"9":4,"b":5}', '["object",{"b":"number","a":"number","10":"number","9":"number"}]', 'object'],
  ['list', '[ 1.0, 2 ]', '["list","number"]', 'array'],
  ['tuple', '[1,"x"]', '["tuple",["number","string"]]', 'array'],
  ['map', '{"k":"v"}', '["map","string"]', 'object'],
  ['nothing', 'null', '"dynamic"', 'string'],
  [
    'odd',
    '{"":{},"a":null,"big":12345678901234567890,"x@y":1,"ключ":[true,null]}',
    '["object",{"":["object",{}],"a":"dynamic","big":"number","x@y":"number","ключ":["tuple",["bool","dynamic"]]}]',
    'object',
  ],
  ['long', `"${'x'.repeat(3_000_000)}"`, '"string"', 'string'],
]

let api: StateApi
let workspace: TestWorkspace
let id: string

beforeAll(async () => {
  api = await makeStateApi()
  workspace = await api.newWorkspace()
  const outputs = VALUES.map(([name, value, type]) => `"${name}":{"value":${value},"type":${type}}`)
  outputs.push('"secret":{"sensitive":true,"value":"hunter2 9007199254740993","type":"string"}')
  id = await api.push(workspace, Buffer.from(`{"version":4,"serial":1,"lineage":"l","outputs":{${outputs.join(',')}},"resources":[]}`))
  await api.state.processingIdle()
})
afterAll(() => api.drop())

/** The text between the name and the end of the attributes, free of what JSON.parse does to numbers. */
const attributesText = (text: string, name: string): string => {
  const start = text.indexOf(`"name":"${name}"`)
  return text.slice(start, text.indexOf('"links"', start))
}

describe('outputs', () => {
  it('R097, R066: have exact values and types', async () => {
    const list = await api.request('GET', `state-versions/${id}/outputs?page[size]=100`)
    for (const [name, value, type, wireType] of VALUES) {
      const text = attributesText(list.text, name)
      expect([name, text.includes(`"value":${value},`)]).toEqual([name, true])
      expect([name, text.includes(`"detailed-type":${type}}`)]).toEqual([name, true])
      expect([name, text.includes(`"type":"${wireType}"`)]).toEqual([name, true])
    }
    expect(list.many().map(({ attributes }) => attributes['name'])).toEqual([...VALUES.map(([name]) => name), 'secret'])
    expect(list.many()[0]?.id).toMatch(/^wsout-/)
  })

  it('are paginated', async () => {
    const path = `state-versions/${id}/outputs`
    expect((await api.request('GET', `${path}?page[size]=2&page[number]=2`)).many().map(({ attributes }) => attributes['name'])).toEqual([
      'float',
      'huge',
    ])
    const beyond = await api.request('GET', `${path}?page[size]=100&page[number]=999`)
    expect(beyond.many()).toEqual([])
    expect(beyond.meta).toMatchObject({ pagination: { 'current-page': 999, 'total-count': VALUES.length + 1 } })
  })

  it('hide sensitive values in the current ones only', async () => {
    const secretOf = (answer: Awaited<ReturnType<typeof api.request>>) =>
      answer.many().find(({ attributes }) => attributes['name'] === 'secret')
    const current = await api.request('GET', `workspaces/${workspace.id}/current-state-version-outputs?page[size]=100`)
    expect(current.text).not.toContain('hunter2')
    expect(secretOf(current)?.attributes).toMatchObject({ sensitive: true, value: null, type: 'string', 'detailed-type': 'string' })
    expect(current.text).toContain('"value":9007199254740993,')

    const own = secretOf(await api.request('GET', `state-versions/${id}/outputs?page[size]=100`))
    expect(own?.attributes['value']).toBe('hunter2 9007199254740993')
    const single = await api.request('GET', `state-version-outputs/${own?.id}`)
    expect(single.one()).toEqual(own)
    expect(secretOf(current)?.id).toBe(own?.id)

    const included = await api.request('GET', `workspaces/${workspace.id}?include=outputs`)
    expect(included.text).not.toContain('hunter2')
    expect(included.included.find((output) => output.id === own?.id)).toMatchObject({
      type: 'workspace-outputs',
      attributes: { value: null, 'output-type': 'string' },
    })
  })

  it('are an empty list without state', async () => {
    const empty = await api.newWorkspace()
    const answer = await api.request('GET', `workspaces/${empty.id}/current-state-version-outputs`)
    expect([answer.status, answer.many()]).toEqual([200, []])
  })

  it('are sealed in the database', async () => {
    const rows = await api.db.select().from(api.db.t.stateOutputs)
    expect(rows).toHaveLength(VALUES.length + 1)
    for (const row of rows) expect(row.valueSealed.includes('hunter2')).toBe(false)
  })

  it('R067: run tokens read those of their own workspace', async () => {
    const foreign = await api.newWorkspace()
    const actor = {
      kind: 'run',
      runId: 'run-1111111111111111',
      workspaceId: workspace.id,
      organizationId: workspace.organizationId,
    } as const
    const page = { number: 1, size: 20, offset: 0, requested: false }
    expect((await api.state.listCurrentOutputs(api.ctxOf(actor), workspace.id, page)).total).toBe(VALUES.length + 1)
    await expect(api.state.listCurrentOutputs(api.ctxOf(actor), foreign.id, page)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
