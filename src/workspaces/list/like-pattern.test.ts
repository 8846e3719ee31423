import { describe, expect, it } from 'vitest'
import { containsPattern, wildcardPattern } from './like-pattern.ts'

describe('LIKE patterns', () => {
  it('take no character of the name for a wildcard', () => {
    expect(containsPattern(String.raw`a_b%c\d`)).toBe(String.raw`%a\_b\%c\\d%`)
    expect(wildcardPattern('*a_b*')).toBe(String.raw`%a\_b%`)
  })
})
