import { X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { newCa } from '../../../test/harness/test-pki.ts'
import { joinPem } from './pem.ts'

describe('joinPem', () => {
  let one = ''
  let two = ''
  beforeAll(async () => {
    one = (await newCa()).certificatePem
    two = (await newCa()).certificatePem
  })

  it('joins texts that end without a newline, so that both can be read', () => {
    const joined = joinPem([one.trim(), two.trim()])
    const second = joined.slice(joined.indexOf('-----END CERTIFICATE-----') + 26)
    expect(new X509Certificate(joined).fingerprint256).toBe(new X509Certificate(one).fingerprint256)
    expect(new X509Certificate(second).fingerprint256).toBe(new X509Certificate(two).fingerprint256)
  })

  it.each([
    ['nothing', () => []],
    ['no PEM', () => ['hello']],
    ['a text cut short', () => [one.slice(0, 100)]],
    ['two certificates glued into one text', () => [one.trim() + two.trim()]],
    ['a key among them', () => [one, '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----']],
  ])('refuses %s', (_what, pems) => {
    expect(() => joinPem(pems())).toThrow(/expected .* certificates? in PEM form|expected \d+ certificates/)
  })
})
