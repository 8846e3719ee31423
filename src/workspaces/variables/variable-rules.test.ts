import { describe, expect, it } from 'vitest'
import { checkVariableKey, checkVariableValue } from './variable-rules.ts'

describe('checkVariableKey', () => {
  it.each([
    ['terraform', 'a-b_c1'],
    ['terraform', '_a'],
    ['terraform', 'größe'],
    ['env', 'A.B-C'],
  ] as const)('takes %s %s', (category, key) => {
    expect(() => checkVariableKey(key, category)).not.toThrow()
  })

  it.each([
    ['terraform', ''],
    ['terraform', '-a'],
    ['terraform', 'a"b'],
    ['terraform', 'a\n'],
    ['env', 'A=B'],
    ['env', 'A B'],
    ['env', 'A\0'],
    ['env', 'A\u00a0B'],
  ] as const)('refuses %s %j', (category, key) => {
    expect(() => checkVariableKey(key, category)).toThrow(/^INVALID: Key/)
  })
})

describe('checkVariableValue', () => {
  it('refuses what the environment of a process cannot hold', () => {
    expect(() => checkVariableValue('a\0b', 'env')).toThrow(/NUL/)
    expect(() => checkVariableValue('a\0b', 'terraform')).not.toThrow()
  })
})
