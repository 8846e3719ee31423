import { assert, property, string, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../errors.ts'
import { makeEnvelope } from './envelope.ts'
import { parseInstallationKey } from './installation-key.ts'

const keyOf = (byte: number) => parseInstallationKey(Buffer.alloc(32, byte).toString('base64'), 'test')
const envelope = makeEnvelope({ keys: [keyOf(1)] })

describe('envelope', () => {
  it('opens what it sealed, whatever the bytes and the context', () => {
    assert(
      property(uint8Array({ maxLength: 2000 }), string(), (plain, context) => {
        expect(envelope.open(envelope.seal(plain, context), context)).toEqual(Buffer.from(plain))
      }),
      { numRuns: 200 },
    )
    expect(envelope.openText(envelope.seal('pässword', 'a'), 'a')).toBe('pässword')
  })

  it('never seals the same text to the same bytes, and shows nothing of it', () => {
    const sealed = envelope.seal('the secret text', 'a')
    expect(sealed.equals(envelope.seal('the secret text', 'a'))).toBe(false)
    expect(sealed.includes('secret')).toBe(false)
  })

  it('opens nowhere else', () => {
    const sealed = envelope.seal('text', 'variables/var-1')
    expect(() => envelope.open(sealed, 'variables/var-2')).toThrow(AppError)
  })

  it('opens nothing of which any bit was changed, or that was cut or extended', () => {
    const sealed = envelope.seal('text', 'a')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => envelope.open(changed, 'a'), `byte ${at}`).toThrow(AppError)
      expect(() => envelope.open(sealed.subarray(0, at), 'a'), `cut at ${at}`).toThrow(AppError)
    }
    expect(() => envelope.open(Buffer.concat([sealed, Buffer.alloc(1)]), 'a')).toThrow(AppError)
  })

  it('refuses another installation key and says nothing of the value', () => {
    const sealed = envelope.seal('text', 'a')
    const open = () => makeEnvelope({ keys: [keyOf(2)] }).open(sealed, 'a')
    expect(open).toThrow(expect.objectContaining({ code: 'INTERNAL', internal: 'a: sealed with an installation key that is not loaded' }))
  })

  it('opens with every key and seals with the first, so that keys can be changed', () => {
    const old = envelope.seal('old', 'a')
    const rotated = makeEnvelope({ keys: [keyOf(2), keyOf(1)] })
    expect(rotated.openText(old, 'a')).toBe('old')
    expect(makeEnvelope({ keys: [keyOf(2)] }).openText(rotated.seal('new', 'a'), 'a')).toBe('new')
  })
})
