import { describe, expect, it } from 'vitest'
import { nextInQueue, waitReason } from './decide-queue.ts'
import type { RunStatus } from './statuses.ts'

type Flags = { isPlanOnly?: boolean; isSavePlan?: boolean; configurationVersionId?: string }

const run = (id: string, status: RunStatus, flags: Flags = {}) => ({
  id,
  status,
  isPlanOnly: false,
  isSavePlan: false,
  configurationVersionId: 'cv-there',
  ...flags,
})

const facts = (isLocked: boolean) => ({ isLocked, isUploaded: (id: string) => id === 'cv-there' })
const free = facts(false)
const locked = facts(true)
const missing = { configurationVersionId: 'cv-missing' }

describe('the next runs of a workspace', () => {
  it('is the first one that waits', () => {
    expect(nextInQueue([run('a', 'pending'), run('b', 'pending')], free)).toEqual(['a'])
  })

  it('are none while one is under way or waits for a person', () => {
    for (const status of ['plan_queued', 'planning', 'planned', 'apply_queued', 'applying'] as const)
      expect(nextInQueue([run('a', status), run('b', 'pending')], locked)).toEqual([])
  })

  it('are none while somebody has the lock', () => {
    expect(nextInQueue([run('a', 'pending')], locked)).toEqual([])
  })

  it('are all plan-only runs and saved plans beside, locked or not', () => {
    const open = [
      run('a', 'applying'),
      run('b', 'pending'),
      run('c', 'pending', { isPlanOnly: true }),
      run('d', 'pending', { isSavePlan: true }),
      run('e', 'pending', { isPlanOnly: true }),
    ]
    expect(nextInQueue(open, locked)).toEqual(['c', 'd', 'e'])
  })

  it('do not wait for plan-only runs and saved plans before them', () => {
    const open = [run('a', 'planning', { isPlanOnly: true }), run('b', 'planned_and_saved', { isSavePlan: true }), run('c', 'pending')]
    expect(nextInQueue(open, free)).toEqual(['c'])
  })

  it('wait for a saved plan that is being applied: it has the lock', () => {
    const open = [run('a', 'applying', { isSavePlan: true }), run('b', 'pending')]
    expect(nextInQueue(open, locked)).toEqual([])
  })

  it('keep their order when the first one waits for its configuration', () => {
    expect(nextInQueue([run('a', 'pending', missing), run('b', 'pending')], free)).toEqual([])
    expect(nextInQueue([run('a', 'pending', { ...missing, isPlanOnly: true }), run('b', 'pending')], free)).toEqual(['b'])
  })
})

describe('why a run waits', () => {
  const [holder, waiting] = [run('a', 'planned'), run('b', 'pending')]

  it.each([
    ['its configuration', waitReason(run('b', 'pending', missing), [run('b', 'pending', missing)], free), 'configuration-missing'],
    ['the run with the lock', waitReason(waiting, [holder, waiting], locked), 'earlier-run'],
    ['the lock of a person', waitReason(waiting, [waiting], locked), 'workspace-locked'],
    ['the lock of a person before an earlier run', waitReason(waiting, [run('a', 'pending'), waiting], locked), 'workspace-locked'],
    ['an earlier run', waitReason(waiting, [run('a', 'pending'), waiting], free), 'earlier-run'],
    ['nothing', waitReason(waiting, [waiting], free), undefined],
  ])('%s', (_name, actual, expected) => {
    expect(actual).toBe(expected)
  })
})
