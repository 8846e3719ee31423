import { describe, expect, inject, it } from 'vitest'
import { readAllowed, readReasons } from './lists.ts'

const suite = inject('suite')
const lists = { cloud: await readAllowed('cloud'), enterprise: await readAllowed('enterprise') }
const reasons = await readReasons()

describe('the lists', () => {
  it.each(['cloud', 'enterprise'] as const)('allowed-%s.txt is sorted and names each test once', (mode) => {
    expect(lists[mode]).toEqual([...new Set(lists[mode])].sort())
  })

  it('give a reason for no test that passes in both modes', () => {
    expect([...reasons.keys()].filter((name) => lists.cloud.includes(name) && lists.enterprise.includes(name))).toEqual([])
    expect([...reasons].filter(([, reason]) => reason === '')).toEqual([])
  })

  it.skipIf(suite === undefined)('name no test that the client does not have', () => {
    const known = new Set(suite?.tests.map(({ name }) => name))
    expect([...lists.cloud, ...lists.enterprise, ...reasons.keys()].filter((name) => !known.has(name))).toEqual([])
  })
})
