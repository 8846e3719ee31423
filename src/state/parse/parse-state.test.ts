import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inSlices } from './in-slices.ts'
import { parseState } from './parse-state.ts'

const parse = (text: string) => inSlices(parseState(Buffer.from(text)))
const instance = (index_key?: unknown, more = {}) => ({
  ...(index_key === undefined ? {} : { index_key }),
  schema_version: 0,
  attributes: { id: 1 },
  ...more,
})

describe('parseState', () => {
  it('reads head, outputs and resources', async () => {
    const provider = 'provider["registry.terraform.io/hashicorp/aws"]'
    const resources = [
      {
        module: 'module.a["x.module.y"].module.b',
        mode: 'managed',
        type: 'aws_s3_bucket',
        name: 'many',
        provider,
        instances: [instance('k"'), instance(0)],
      },
      {
        mode: 'managed',
        type: 'terraform_data',
        name: 'one',
        provider: 'provider["terraform.io/builtin/terraform"]',
        instances: [instance()],
      },
      { mode: 'data', type: 'aws_ami', name: 'ami', provider, instances: [instance()] },
      {
        mode: 'managed',
        type: 'aws_s3_bucket',
        name: 'replaced',
        provider,
        instances: [instance(), instance(undefined, { deposed: 'aa' })],
      },
      { mode: 'managed', type: 'aws_s3_bucket', name: 'none', provider, instances: [] },
    ]
    const outputs = { o: { value: [1], type: ['tuple', ['number']], sensitive: true }, p: { value: 'x', type: 'string' } }
    const state = await parse(
      JSON.stringify({ version: 4, terraform_version: '1.11.4', serial: 3, lineage: 'l', outputs, resources, check_results: null }),
    )
    expect(state).toEqual({
      terraformVersion: '1.11.4',
      lineage: 'l',
      outputs: [
        { name: 'o', isSensitive: true, type: 'array', detailedType: '["tuple",["number"]]', value: '[1]' },
        { name: 'p', isSensitive: false, type: 'string', detailedType: '"string"', value: '"x"' },
      ],
      resources: [
        { name: 'many', type: 'aws_s3_bucket', count: 2, module: 'a["x.module.y"].b', provider, keys: ['"k\\""', '0'] },
        {
          name: 'one',
          type: 'terraform_data',
          count: 1,
          module: 'root',
          provider: 'provider["terraform.io/builtin/terraform"]',
          keys: [null],
        },
        { name: 'ami', type: 'data.aws_ami', count: 1, module: 'root', provider, keys: [null] },
        { name: 'replaced', type: 'aws_s3_bucket', count: 1, module: 'root', provider, keys: [null] },
      ],
      modules: {
        'a["x.module.y"].b': { 'aws-s3-bucket': 2 },
        root: { 'terraform-data': 1, 'data.aws-ami': 1, 'aws-s3-bucket': 1 },
      },
      providers: {
        [provider]: { 'aws-s3-bucket': 3, 'data.aws-ami': 1 },
        'provider["terraform.io/builtin/terraform"]': { 'terraform-data': 1 },
      },
      managedCount: 4,
      billableCount: 3,
    })
  })

  it('takes the last of two outputs with one name', async () => {
    const state = await parse('{"outputs":{"a":{"value":1},"a":{"value":2.0}},"version":4}')
    expect(state?.outputs).toEqual([{ name: 'a', isSensitive: false, type: 'number', detailedType: undefined, value: '2.0' }])
  })

  it.each([
    ['broken', '{"version":4'],
    ['an output that is no JSON', '{"version":4,"outputs":{"a":{"value":[1,,2]}}}'],
    ['another format', '{"version":3,"modules":[]}'],
    ['encrypted', '{"serial":1,"lineage":"l","encrypted_data":"eA==","encryption_version":"v0"}'],
    ['a list', '[]'],
    ['text', 'hello'],
    ['nothing', ''],
  ])('knows nothing of %s', async (_, text) => {
    expect(await parse(text)).toBeUndefined()
  })

  it('pauses after every instance and every output, so that a large state can be read in slices', () => {
    const instances = Array.from({ length: 50 }, (_, index) => instance(index))
    const outputs = Object.fromEntries(instances.map((_, index) => [`o${index}`, { value: index }]))
    const work = parseState(Buffer.from(JSON.stringify({ version: 4, outputs, resources: [{ type: 't', name: 'n', instances }] })))
    let pauses = 0
    while (work.next().done !== true) pauses++
    expect(pauses).toBe(100)
  })

  it('takes any JSON in any place without a crash', async () => {
    const anything = fc.record(
      {
        version: fc.constant(4),
        terraform_version: fc.jsonValue(),
        lineage: fc.jsonValue(),
        outputs: fc.oneof(
          fc.jsonValue(),
          fc.dictionary(
            fc.string(),
            fc.oneof(fc.jsonValue(), fc.record({ value: fc.jsonValue(), type: fc.jsonValue(), sensitive: fc.jsonValue() })),
          ),
        ),
        resources: fc.oneof(
          fc.jsonValue(),
          fc.array(
            fc.record(
              { mode: fc.jsonValue(), type: fc.jsonValue(), name: fc.string(), module: fc.jsonValue(), instances: fc.jsonValue() },
              { requiredKeys: [] },
            ),
          ),
        ),
      },
      { requiredKeys: ['version'] },
    )
    await fc.assert(
      fc.asyncProperty(anything, async (state) => {
        const parsed = await parse(JSON.stringify(state))
        for (const { value } of parsed?.outputs ?? []) JSON.parse(value)
        expect(parsed).toBeDefined()
      }),
    )
  })
})
