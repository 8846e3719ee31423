import { describe, expect, it } from 'vitest'
import { makeFailureCount } from './failure-count.ts'
import { isHopeless, pauseMs } from './give-up.ts'

const job = { id: 'job-1', status: 'running', attempt: 1, step: 'plan', stepSeq: 4, lastStateSeq: 0, results: {} } as const

describe('failures of a phase', () => {
  it('count while it does not get on, and from one again when it did', () => {
    const failures = makeFailureCount()
    expect([1, 2, 3].map(() => failures.note(job))).toEqual([1, 2, 3])
    expect(failures.note({ ...job, stepSeq: 5 })).toBe(1)
    expect(failures.note({ ...job, id: 'job-2' })).toBe(1)
    expect(failures.note({ ...job, stepSeq: 5 })).toBe(2)
    failures.forget(job.id)
    expect(failures.note({ ...job, stepSeq: 5 })).toBe(1)
  })

  it('are enough after five of a plan and eight of an apply, some minutes later', () => {
    const untilHopeless = (phase: 'plan' | 'apply') => {
      let [tries, ms] = [1, 0]
      for (; !isHopeless({ phase }, tries); tries++) ms += pauseMs(tries)
      return { tries, seconds: ms / 1000 }
    }
    expect(untilHopeless('plan')).toEqual({ tries: 5, seconds: 75 })
    expect(untilHopeless('apply')).toEqual({ tries: 8, seconds: 255 })
  })
})
