import { describe, expect, it } from 'vitest'
import { decideBindings } from './decide-bindings.ts'

const existing = [
  { key: 'flat', value: '' },
  { key: 'env', value: 'prod' },
]

describe('decideBindings', () => {
  it('adds and changes, and removes nothing', () => {
    const wanted = [{ key: 'env', value: 'dev' }, { key: 'new' }, { key: 'flat' }]
    expect(decideBindings(existing, wanted, 'add', 10)).toEqual({
      added: [{ key: 'new', value: '' }],
      changed: [{ key: 'env', value: 'dev' }],
      removed: [],
    })
  })

  it('replaces: a missing value is an empty one', () => {
    expect(decideBindings(existing, [{ key: 'env' }, { key: 'new', value: '1' }], 'replace', 10)).toEqual({
      added: [{ key: 'new', value: '1' }],
      changed: [{ key: 'env', value: '' }],
      removed: ['flat'],
    })
  })

  it('takes the last of several with one key', () => {
    const wanted = [
      { key: 'a', value: '1' },
      { key: 'a', value: '2' },
    ]
    expect(decideBindings([], wanted, 'add', 10).added).toEqual([{ key: 'a', value: '2' }])
  })

  it('refuses to grow above the limit, and nothing else', () => {
    const three = ['a', 'b', 'c'].map((key) => ({ key, value: '' }))
    expect(() => decideBindings([], three, 'add', 2)).toThrow(/cannot exceed 2 bindings per resource/)
    expect(decideBindings(three, [{ key: 'a', value: '1' }], 'add', 2).changed).toHaveLength(1)
    expect(decideBindings(three, three.slice(1), 'replace', 1).removed).toEqual(['a'])
  })
})
