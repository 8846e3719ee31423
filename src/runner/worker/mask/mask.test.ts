import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildAutomaton } from './build-automaton.ts'
import { makeMask } from './make-mask.ts'
import { makeMaskStream } from './make-mask-stream.ts'
import { isMaskable, secretForms } from './secret-forms.ts'

/** The rule, told plainly: every byte inside a match is hidden, hidden stretches that touch become one mark. */
const reference = (input: Buffer, patterns: Buffer[]): string => {
  const hidden = new Uint8Array(input.length)
  for (const pattern of patterns)
    for (let at = input.indexOf(pattern); at !== -1; at = input.indexOf(pattern, at + 1)) hidden.fill(1, at, at + pattern.length)
  let out = ''
  for (let at = 0; at < input.length; at++) {
    if (hidden[at] === 0) out += String.fromCharCode(input[at] ?? 0)
    else if (hidden[at - 1] !== 1) out += '***'
  }
  return out
}

const few = fc.array(fc.constantFrom(0x61, 0x62, 0x0a), { maxLength: 60 })
const patternsOf = fc.array(fc.array(fc.constantFrom(0x61, 0x62, 0x0a), { minLength: 1, maxLength: 6 }), { maxLength: 5 })

describe('the mask of a stream', () => {
  it('hides the same whatever way the input is cut', () => {
    fc.assert(
      fc.property(few, patternsOf, fc.array(fc.nat(60), { maxLength: 8 }), (bytes, rawPatterns, cuts) => {
        const input = Buffer.from(bytes)
        const patterns = rawPatterns.map((pattern) => Buffer.from(pattern))
        const stream = makeMaskStream(buildAutomaton(patterns))
        const out: Buffer[] = []
        let from = 0
        for (const cut of [...cuts, input.length].sort((a, b) => a - b)) {
          out.push(stream.write(input.subarray(from, Math.max(from, cut))))
          from = Math.max(from, cut)
        }
        out.push(stream.end())
        expect(Buffer.concat(out).toString('latin1')).toBe(reference(input, patterns))
      }),
      { numRuns: 3000 },
    )
  })

  it('never lets a secret through, in any form and position', () => {
    expect.hasAssertions()
    const secrets = fc.array(fc.string({ minLength: 4, maxLength: 30 }).filter(isMaskable), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(secrets, fc.string({ maxLength: 20 }), fc.nat(200), (values, noise, cut) => {
        const line = Buffer.from(
          values
            .map(
              (value) =>
                `${noise}${value} ${JSON.stringify(value)} ${JSON.stringify(JSON.stringify(value))} ${Buffer.from(value).toString('base64')}`,
            )
            .join(noise),
        )
        const stream = makeMask(values).stream()
        const out = Buffer.concat([stream.write(line.subarray(0, cut)), stream.write(line.subarray(cut)), stream.end()]).toString()
        // Random noise may hold the value itself, or put it together from a mark and its neighbours.
        const leaked = values.filter((value) => out.includes(value) && !noise.includes(value) && !value.includes('*'))
        expect(leaked).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('gives an ordinary line at once and holds back only what may begin a secret', () => {
    const stream = makeMask(['hunter2secret', 'second line\nof it']).stream()
    expect(stream.write(Buffer.from('creating...\n')).toString()).toBe('creating...\n')
    expect(stream.write(Buffer.from('password is hun')).toString()).toBe('password is ')
    expect(stream.write(Buffer.from('gry\n')).toString()).toBe('hungry\n')
    expect(stream.write(Buffer.from('password is hunter2')).toString()).toBe('password is ')
    expect(stream.write(Buffer.from('secret!')).toString()).toBe('***!')
    expect(stream.write(Buffer.from('tail sec')).toString()).toBe('tail ')
    expect(stream.end().toString()).toBe('sec')
  })

  it('is fast enough for 20 MB of output with a long secret', () => {
    const key = Array.from({ length: 50 }, (_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj${at}`).join('\n')
    const stream = makeMask([key, 'AKIAIOSFODNN7EXAMPLE', 'another-secret']).stream()
    const chunk = Buffer.from('terraform_data.example (local-exec): Another line of some MIIE output, AKIA as usual\n'.repeat(700))
    const startedAt = performance.now()
    let bytes = 0
    for (let at = 0; at < 20_000_000; at += chunk.length) bytes += stream.write(chunk).length
    expect(bytes).toBeGreaterThan(20_000_000)
    expect(performance.now() - startedAt).toBeLessThan(6000)
  })
})

describe('the forms of a secret', () => {
  it.each([
    ['JSON', (secret: string) => JSON.stringify(secret).slice(1, -1)],
    [
      'JSON of Go',
      (secret: string) =>
        JSON.stringify(secret)
          .slice(1, -1)
          .replaceAll('<', String.raw`\u003c`)
          .replaceAll('>', String.raw`\u003e`)
          .replaceAll('&', String.raw`\u0026`),
    ],
    [
      'HCL',
      (secret: string) =>
        JSON.stringify(secret)
          .slice(1, -1)
          .replaceAll('${', () => '$${'),
    ],
    ['JSON in JSON', (secret: string) => JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
    [
      'HCL in JSON of Go',
      (secret: string) =>
        JSON.stringify(
          JSON.stringify(secret)
            .slice(1, -1)
            .replaceAll('${', () => '$${'),
        )
          .slice(1, -1)
          .replaceAll('<', String.raw`\u003c`)
          .replaceAll('>', String.raw`\u003e`)
          .replaceAll('&', String.raw`\u0026`),
    ],
    ['URL', (secret: string) => encodeURIComponent(secret)],
    ['form', (secret: string) => new URLSearchParams({ a: secret }).toString().slice(2)],
    ['base64', (secret: string) => Buffer.from(secret).toString('base64')],
    ['base64 in a pair', (secret: string) => Buffer.from(`user:${secret}`).toString('base64')],
    ['base64 in another pair', (secret: string) => Buffer.from(`users:${secret}@`).toString('base64')],
    ['base64url', (secret: string) => Buffer.from(`us:${secret}`).toString('base64url')],
  ])('include %s', (_name, write) => {
    const secret = 'p"ss ${w}<ö>&\tend'
    const masked = makeMask([secret]).text(`before ${write(secret)} after`)
    expect(masked).toMatch(/^before .{0,9}\*\*\*.{0,4} after$/)
  })

  it('include each line of a long one', () => {
    const mask = makeMask(['-----BEGIN KEY-----\n  MIIEvQIBADANBg\nab\n'])
    expect(mask.text('      MIIEvQIBADANBg')).toBe('      ***')
    expect(mask.text('about')).toBe('about')
  })

  it.each(['', 'abc', 'true', 'false', 'null', '12345', '1.5', '   a  '])('are none for %j, which would hide too much', (value) => {
    expect(secretForms(value)).toEqual([])
  })

  it.each(['abcd', '123456', 'truely'])('exist for %j', (value) => {
    expect(secretForms(value).length).toBeGreaterThan(0)
  })
})
