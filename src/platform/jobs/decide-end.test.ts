import { assert, double, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs, decideEnd } from './decide-end.ts'

const now = new Date('2026-01-02T03:04:05.000Z')
const claimedRunAt = new Date('2026-01-02T03:00:00.000Z')
const again = new Date('2026-01-02T03:04:00.000Z')
const job = { claimedRunAt, runAt: claimedRunAt, attempts: 2, maxAttempts: 3 }
const failed = { kind: 'failed', error: new Error('boom') } as const
const inMs = (ms: number): Date => new Date(now.getTime() + ms)

describe('decideEnd', () => {
  it.each([
    ['done', { kind: 'done' }, job, { status: 'done', isOpen: false, attempts: 2, lastError: null }],
    ['done, wanted again', { kind: 'done' }, { ...job, runAt: again }, { status: 'queued', isOpen: true, attempts: 0, runAt: again }],
    ['failed', failed, job, { status: 'queued', isOpen: true, attempts: 2, runAt: inMs(1000), lastError: 'boom' }],
    ['failed, wanted again', failed, { ...job, runAt: again }, { status: 'queued', isOpen: true, attempts: 2, runAt: inMs(1000) }],
    ['failed at last', failed, { ...job, attempts: 3 }, { status: 'dead', isOpen: false, attempts: 3, lastError: 'boom' }],
    [
      'failed at last, wanted again',
      failed,
      { ...job, attempts: 3, runAt: again },
      { status: 'queued', isOpen: true, attempts: 0, runAt: again },
    ],
    ['interrupted', { kind: 'interrupted' }, job, { status: 'queued', isOpen: true, attempts: 1, runAt: claimedRunAt }],
    ['interrupted at last', { kind: 'interrupted' }, { ...job, attempts: 3 }, { status: 'queued', isOpen: true, attempts: 2 }],
  ] as const)('%s', (_, outcome, job, end) => {
    expect(decideEnd(job, outcome, now, 0)).toMatchObject(end)
  })

  it('keeps only the beginning of a long error text', () => {
    expect(decideEnd(job, { kind: 'failed', error: new Error('x'.repeat(100_000)) }, now, 0).lastError).toHaveLength(1000)
  })
})

describe('backoffMs', () => {
  it('doubles from a second to ten minutes, and is spread over the upper half', () => {
    assert(
      property(integer({ min: 1, max: 100 }), double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempts, random) => {
        const whole = Math.min(600_000, 1000 * 2 ** (attempts - 1))
        const ms = backoffMs(attempts, random)
        expect(ms).toBeGreaterThanOrEqual(whole / 2)
        expect(ms).toBeLessThanOrEqual(whole)
      }),
    )
  })
})
