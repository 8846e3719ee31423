import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeDocuments } from './merge-documents.ts'

/** The text in pieces that end at the given places. */
const inPieces = async function* (text: string, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b)
  let from = 0
  for (const to of [...places, bytes.length]) {
    yield bytes.subarray(from, to)
    from = to
  }
}

const merged = async (schemas: AsyncIterable<Buffer>, plan: AsyncIterable<Buffer>): Promise<unknown> => {
  const parts: Buffer[] = []
  for await (const part of mergeDocuments(schemas, plan)) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString('utf8'))
}

const whole = (document: unknown): AsyncIterable<Buffer> => inPieces(JSON.stringify(document), [])

describe('schemas and plan in one document', () => {
  it('hold the members of both, the format of the schemas under its own name', async () => {
    const schemas = { format_version: '1.0', provider_schemas: { 'terraform.io/builtin/terraform': { resource_schemas: {} } } }
    const plan = { format_version: '1.2', resource_changes: [], terraform_version: '1.11.4' }
    expect(await merged(whole(schemas), whole(plan))).toEqual({
      provider_format_version: '1.0',
      provider_schemas: schemas.provider_schemas,
      ...plan,
    })
  })

  it('however the two arrive in pieces, whatever they hold', async () => {
    const space = fc.stringMatching(/^[ \n\t]{0,3}$/)
    const cuts = fc.array(fc.nat(2000), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.tuple(space, space, space),
        cuts,
        cuts,
        async (schemas, plan, [before, within, after], schemaCuts, planCuts) => {
          const schemaText = `${before}{${within}"format_version":"1.0","all":${JSON.stringify(schemas)}}${after}`
          const planText = `${before}{${within}"plan":${JSON.stringify(plan)}}${after}`
          const document = await merged(inPieces(schemaText, schemaCuts), inPieces(planText, planCuts))
          expect(document).toEqual(JSON.parse(JSON.stringify({ provider_format_version: '1.0', all: schemas, plan })))
        },
      ),
    )
  })

  it('of some megabytes go through in pieces', async () => {
    const schemas = { format_version: '1.0', text: 'é'.repeat(2_000_000) }
    const parts: Buffer[] = []
    for await (const part of mergeDocuments(inPieces(JSON.stringify(schemas), [65_536, 131_072, 1_000_001]), whole({ a: 1 })))
      parts.push(part)
    expect(parts.length).toBeGreaterThan(4)
    expect(JSON.parse(Buffer.concat(parts).toString())).toEqual({ provider_format_version: '1.0', text: schemas.text, a: 1 })
  })

  it('are refused when one is cut or something else', async () => {
    const good = whole({ format_version: '1.0' })
    await expect(merged(inPieces('{"format_version":"1.0"', []), whole({ a: 1 }))).rejects.toMatchObject({ code: 'INTERNAL' })
    await expect(merged(whole({ other: 1 }), whole({ a: 1 }))).rejects.toMatchObject({ code: 'INTERNAL' })
    await expect(merged(good, inPieces('[1]', []))).rejects.toMatchObject({ code: 'INTERNAL' })
  })
})
