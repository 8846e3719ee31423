import { Validator } from '@seriousme/openapi-schema-validator'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compose, type Terrane } from '../src/main/compose.ts'
import { parseConfig } from '../src/main/config.ts'
import { silentLog } from '../src/platform/log.ts'

type Operation = { operationId: string; responses: Record<string, { content?: Record<string, unknown> }> }
type Document = { openapi: string; paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, unknown> } }

let data: string
let terrane: Terrane
let response: Response
let text: string
let document: Document

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'terrane-openapi-'))
  terrane = await compose(parseConfig({ data, workDir: join(data, 'work') }, {}, { isRoot: false }), silentLog)
  response = await terrane.app.request('/api/openapi.json')
  text = await response.text()
  document = JSON.parse(text) as Document
})
afterAll(async () => {
  await terrane.stop()
  await rm(data, { recursive: true, force: true })
})

describe('the OpenAPI document of the whole server', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    const validator = new Validator()
    expect(await validator.validate(JSON.parse(text) as Record<string, unknown>)).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('has every endpoint, each under an id of its own', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    expect(operations).toHaveLength(terrane.endpoints.length)
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  })

  it('refers to nothing that is not there', () => {
    const names = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name))
    expect(names.size).toBeGreaterThan(20)
    expect([...names].filter((name) => name === undefined || !(name in document.components.schemas))).toEqual([])
  })

  it('says what comes with every GET', () => {
    const isSilent = ({ responses }: Operation): boolean =>
      Object.entries(responses).every(([status, { content }]) => status === 'default' || (status === '200' && content === undefined))
    const silent = Object.entries(document.paths).flatMap(([path, { get }]) => (get !== undefined && isSilent(get) ? [path] : []))
    expect(silent).toEqual([])
  })
})
