import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { makeWorkbench, type Workbench } from '../../../../test/harness/worker.ts'
import { expectSucceeded, receiveStates } from '../../../../test/contract/runner-driver.ts'
import { BlobKind, Phase, ShowKind } from '../../gen/runner/v1/runner.ts'
import { rewriteJson } from './lossless-json.ts'
import { redactPlan } from './redact-plan.ts'
import { redactValue } from './redact-value.ts'

let bench: Workbench | undefined
afterEach(async () => bench?.close())

const same = { hide: (text: string) => text, isSecret: () => false }

const CONFIG = {
  'main.tf': `
variable "pw" {
  type      = string
  sensitive = true
  default   = "default-canary"
}
variable "open" { default = "open-value" }
resource "terraform_data" "a" {
  for_each = { "k]ey" = 1 }
  input    = { n = 12345678901234567890, s = var.pw, list = [var.pw, "plain"], o = var.open }
}
resource "terraform_data" "whole" { input = sensitive({ secret_key = "const-canary" }) }
module "m" {
  source = "./m"
  pw     = "literal-canary"
}
output "o" {
  value     = var.pw
  sensitive = true
}
output "n" { value = 1.50 }
`,
  'm/main.tf': 'variable "pw" {\n  sensitive = true\n  type = string\n}\nresource "terraform_data" "x" { input = var.pw }\n',
}

const tfvar = (value: string) => ({ prepare: { variables: [{ key: 'pw', value, hcl: false, category: 1 as const, sensitive: false }] } })

describe('the redacted plan', () => {
  it('of a real plan holds no sensitive value, but the shape, the masks, the change and the numbers', async () => {
    bench = await makeWorkbench()
    const first = await bench.readyToApply(CONFIG, tfvar('old-canary'))
    const states = receiveStates(first.runner, first.driver.lease)
    expectSucceeded(await first.driver.apply())
    const state = (await states).at(-2)?.state ?? Buffer.alloc(0)
    await first.driver.shutdown()

    const { driver } = await bench.open(Phase.PLAN, CONFIG)
    await driver.upload(BlobKind.STATE, state)
    expectSucceeded(await driver.prepare(tfvar('new-canary').prepare))
    expectSucceeded(await driver.init())
    expectSucceeded(await driver.plan())
    expectSucceeded(await driver.show(ShowKind.PLAN_JSON))
    const whole = (await driver.download(BlobKind.PLAN_JSON)).toString()
    const redacted = (await driver.download(BlobKind.PLAN_JSON_REDACTED)).toString()

    for (const canary of ['old-canary', 'new-canary', 'default-canary', 'const-canary', 'literal-canary']) {
      expect(whole).toContain(canary)
      expect(redacted).not.toContain(canary)
    }
    expect(redacted).toContain('open-value')
    expect(redacted).toContain('"plain"')
    expect(redacted.match(/12345678901234567890/g)?.length).toBe(whole.match(/12345678901234567890/g)?.length)

    const before = JSON.parse(whole) as Record<string, unknown>
    const after = JSON.parse(redacted) as Record<string, unknown>
    expect(Object.keys(after).sort()).toEqual([...Object.keys(before), 'plan_format_version'].sort())
    const changes = after['resource_changes'] as { address: string; change: Record<string, unknown> }[]
    const change = changes.find(({ address }) => address === 'terraform_data.a["k]ey"]')?.change
    expect(change).toMatchObject({
      actions: ['update'],
      before: { input: { s: 'REDACTED', list: ['REDACTED', 'plain'] } },
      after: { input: { s: 'REDACTED (changed)', list: ['REDACTED (changed)', 'plain'] } },
      after_sensitive: { input: { s: true, list: [true, false] } },
    })
    expect(after['variables']).toMatchObject({ pw: { value: 'REDACTED' }, open: { value: 'open-value' } })
    await driver.shutdown()
  })

  it('hides what a sensitive workspace variable holds even when the configuration does not call it sensitive', async () => {
    bench = await makeWorkbench()
    const { driver } = await bench.readyToPlan(
      { 'main.tf': 'variable "pw" { type = string }\nresource "terraform_data" "a" { input = "x-${var.pw}-y" }' },
      { prepare: { variables: [{ key: 'pw', value: 'quite-secret', hcl: false, category: 1, sensitive: true }] } },
    )
    expectSucceeded(await driver.plan())
    expectSucceeded(await driver.show(ShowKind.PLAN_JSON))
    const redacted = (await driver.download(BlobKind.PLAN_JSON_REDACTED)).toString()
    expect(redacted).not.toContain('quite-secret')
    expect(redacted).toContain('"x-***-y"')
    expectSucceeded(await driver.show(ShowKind.PLAN_TEXT))
    expect((await driver.download(BlobKind.PLAN_TEXT)).toString()).toContain('"x-***-y"')
    await driver.shutdown()
  })

  it('keeps null and the kind of what it replaces', () => {
    expect(redactValue({ a: null, b: [1, 2], c: {}, d: 5, e: [] }, { a: true, b: true, c: true, d: true, e: true }, same)).toEqual({
      a: null,
      b: ['REDACTED'],
      c: { sensitive: 'REDACTED' },
      d: 'REDACTED',
      e: [],
    })
    expect(redactValue({ a: [1] }, { a: [true] }, same, { a: [2] })).toEqual({ a: ['REDACTED (changed)'] })
    expect(redactValue({ a: 1 }, { a: true }, same, { a: 1 })).toEqual({ a: 'REDACTED' })
  })

  it('hides a sensitive value also where the provider copied it to, unmarked', () => {
    const change = {
      before: { in: 'sesame', out: 'sesame', n: 'opened' },
      after: { in: 'simsim', out: 'simsim', n: 'sim' },
      before_sensitive: { in: true },
      after_sensitive: { in: true },
    }
    const redacted = JSON.parse(redactPlan(JSON.stringify({ resource_changes: [{ change }] }), (text) => text).text) as {
      resource_changes: [{ change: unknown }]
    }
    expect(redacted.resource_changes[0].change).toMatchObject({
      before: { in: 'REDACTED', out: 'REDACTED', n: 'opened' },
      after: { in: 'REDACTED (changed)', out: 'REDACTED (changed)', n: 'sim' },
    })
  })

  it('redacts constants of providers, of sensitive attributes and of sensitive outputs in the configuration', () => {
    const plan = {
      resource_changes: [
        {
          address: 'module.m["a"].x.y[0]',
          change: { before: null, after: { pw: 'c1' }, before_sensitive: false, after_sensitive: { pw: true } },
        },
      ],
      configuration: {
        provider_config: { p: { expressions: { token: { constant_value: 'c2' }, block: [{ k: { constant_value: 'c3' } }] } } },
        root_module: {
          outputs: { o: { sensitive: true, expression: { constant_value: 'c4' } }, q: { expression: { constant_value: 'open' } } },
          module_calls: {
            m: {
              module: { resources: [{ address: 'x.y', expressions: { pw: { constant_value: 'c5' }, n: { constant_value: 'open' } } }] },
            },
          },
        },
      },
    }
    const redacted = redactPlan(JSON.stringify(plan), (text) => text).text
    expect(redacted).not.toMatch(/"c\d"/)
    expect(redacted.match(/"open"/g)).toHaveLength(2)
  })
})

describe('rewriting JSON', () => {
  it('keeps the text of every number', () => {
    const text = '{"a":12345678901234567890,"b":[1.0,-0,1e400,0.1,3,1E5,-12.50e-3],"c":"12345678901234567890 \\" 1.0","1.0":"\\\\"}'
    expect(rewriteJson(text, (value) => value)).toBe(text)
  })

  it('changes no document', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(rewriteJson(text, (value) => value)).toBe(text)
      }),
    )
  })

  it('copes with a string of 20 MB', () => {
    const text = JSON.stringify({ a: 'x\\"'.repeat(7_000_000), n: 1 })
    expect(rewriteJson(text, (value) => value)).toBe(text)
  })
})
