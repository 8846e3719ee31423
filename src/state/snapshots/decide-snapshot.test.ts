import { describe, expect, it } from 'vitest'
import { type SnapshotFacts, decideSnapshot } from './decide-snapshot.ts'

const last = { serial: 3, lineage: 'a', blobKey: 'k3' }
const facts: SnapshotFacts = { isLockedByRun: true, last, currentBlobKey: 'k0' }
const next = { serial: 4, lineage: 'a', blobKey: 'k4' }

describe('decideSnapshot', () => {
  const table: [name: string, facts: Partial<SnapshotFacts>, next: Partial<typeof next>, result: string][] = [
    ['next serial', {}, {}, 'write'],
    ['serials may jump', {}, { serial: 40 }, 'write'],
    ['sent again', {}, { serial: 3, blobKey: 'k3' }, 'same'],
    ['same serial, other bytes', {}, { serial: 3 }, 'STATE_SERIAL'],
    ['older serial', {}, { serial: 2 }, 'STATE_SERIAL'],
    ['older serial, bytes of the last one', {}, { serial: 2, blobKey: 'k3' }, 'STATE_SERIAL'],
    ['other lineage', {}, { lineage: 'b' }, 'STATE_LINEAGE'],
    ['first snapshot', { last: undefined }, {}, 'write'],
    ['first snapshot of the workspace', { last: undefined, currentBlobKey: null }, { serial: 1 }, 'write'],
    ['first snapshot, older than what was declared', { last: undefined }, { serial: 0, lineage: 'z' }, 'write'],
    ['nothing changed', { last: undefined }, { blobKey: 'k0' }, 'same'],
    ['back to the state before the run', {}, { blobKey: 'k0' }, 'write'],
    ['lock lost', { isLockedByRun: false }, {}, 'NOT_LOCKED'],
    ['lock lost, sent again', { isLockedByRun: false }, { serial: 3, blobKey: 'k3' }, 'NOT_LOCKED'],
  ]

  it.each(table)('%s', (_, changedFacts, changedNext, result) => {
    const decision = decideSnapshot({ ...facts, ...changedFacts }, { ...next, ...changedNext })
    expect(decision.kind === 'refused' ? decision.reason : decision.kind).toBe(result)
  })
})
