import { describe, expect, it } from 'vitest'
import { decideStateVersion, decideSuccession } from './decide-state-version.ts'

const OWN = { isLocked: true, isLockedByCaller: true }
const tip = { serial: 5, lineage: 'a', md5: 'm' }
const next = { serial: 6, lineage: 'a', md5: 'n', isForced: false }

describe('decideStateVersion', () => {
  const table: [
    name: string,
    lock: typeof OWN,
    tip: typeof tip | undefined,
    next: Partial<typeof next> & { lineage?: string | undefined },
    result: string,
  ][] = [
    ['first version', OWN, undefined, {}, 'accepted'],
    ['first version, serial 0', OWN, undefined, { serial: 0 }, 'accepted'],
    ['not locked', { isLocked: false, isLockedByCaller: false }, undefined, {}, 'is not locked'],
    ['not locked, forced', { isLocked: false, isLockedByCaller: false }, undefined, { isForced: true }, 'is not locked'],
    ['locked by another', { isLocked: true, isLockedByCaller: false }, tip, {}, 'locked by somebody else'],
    ['locked by another, forced', { isLocked: true, isLockedByCaller: false }, tip, { isForced: true }, 'locked by somebody else'],
    ['next serial', OWN, tip, {}, 'accepted'],
    ['later serial', OWN, tip, { serial: 60 }, 'accepted'],
    ['same serial, same content', OWN, tip, { serial: 5, md5: 'm' }, 'accepted'],
    ['same serial, other content', OWN, tip, { serial: 5 }, 'Serial 5 exists already'],
    ['same serial, other content, forced', OWN, tip, { serial: 5, isForced: true }, 'accepted'],
    ['older serial', OWN, tip, { serial: 4 }, 'Serial 4 is older than serial 5'],
    ['older serial, same content', OWN, tip, { serial: 4, md5: 'm' }, 'Serial 4 is older'],
    ['older serial, forced', OWN, tip, { serial: 4, isForced: true }, 'accepted'],
    ['other lineage', OWN, tip, { lineage: 'b' }, 'The lineage "b" is not'],
    ['other lineage, same serial and content', OWN, tip, { lineage: 'b', serial: 5, md5: 'm' }, 'The lineage "b"'],
    ['other lineage, forced', OWN, tip, { lineage: 'b', isForced: true }, 'accepted'],
    ['no lineage declared', OWN, tip, { lineage: undefined }, 'accepted'],
    ['no lineage known before', OWN, { ...tip, lineage: '' }, { lineage: 'b' }, 'accepted'],
    ['no lineage declared, older serial', OWN, tip, { lineage: undefined, serial: 4 }, 'Serial 4 is older'],
  ]

  it.each(table)('%s', (_, lock, before, changes, result) => {
    const decision = decideStateVersion(lock, before, { ...next, ...changes })
    expect(decision.kind === 'accepted' ? 'accepted' : decision.detail).toContain(result)
  })

  it('asks nothing about the lock when an upload arrives', () => {
    expect(decideSuccession(tip, next)).toEqual({ kind: 'accepted' })
    expect(decideSuccession(tip, { ...next, serial: 5 }).kind).toBe('refused')
  })
})
