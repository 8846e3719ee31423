import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wholeCharacters } from './whole-characters.ts'

describe('wholeCharacters', () => {
  it('cuts any text at any byte so that both parts are text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, at) => {
        const bytes = Buffer.from(text)
        const part = bytes.subarray(0, bytes.length === 0 ? 0 : at % (bytes.length + 1))
        const whole = wholeCharacters(part)
        expect(part.length - whole).toBeLessThan(4)
        expect(part.subarray(0, whole).toString('utf8') + bytes.subarray(whole).toString('utf8')).toBe(text)
      }),
    )
  })

  it('keeps bytes that are no text', () => {
    expect(wholeCharacters(Buffer.from([0x61, 0x80, 0x80, 0x80, 0x80]))).toBe(5)
    expect(wholeCharacters(Buffer.alloc(0))).toBe(0)
  })
})
