import { describe, expect, it } from 'vitest'
import { makeFakeClock } from '../../../test/harness/fake-clock.ts'
import { makeAttemptLimit } from './attempt-limit.ts'

const clock = makeFakeClock()
const limited = { code: 'RATE_LIMITED' }

/** How many attempts are let through before the first refusal, at most `max`. */
const tolerated = (begin: (i: number) => void, max = 200): number => {
  for (let i = 0; i < max; i++) {
    try {
      begin(i)
    } catch (error) {
      expect(error).toMatchObject(limited)
      return i
    }
  }
  return max
}

describe('the limit of attempts', () => {
  it('is ten failures of an address at an account, which others do not feel', () => {
    const limit = makeAttemptLimit({ clock })
    expect(tolerated(() => limit.begin('ada', '10.0.0.1'))).toBe(10)
    limit.begin('ada', '10.0.0.2')
    limit.begin('bob', '10.0.0.1')
  })

  it('is 50 failures of an address, and 100 at an account', () => {
    const limit = makeAttemptLimit({ clock })
    expect(tolerated((i) => limit.begin(`user${i}`, '10.0.0.1'))).toBe(50)
    expect(tolerated((i) => limit.begin('ada', `10.0.1.${i}`))).toBe(100)
  })

  it('begins anew after 15 minutes', () => {
    const limit = makeAttemptLimit({ clock })
    tolerated(() => limit.begin('ada', '10.0.0.1'))
    clock.advance(15 * 60_000 - 1)
    expect(tolerated(() => limit.begin('ada', '10.0.0.1'))).toBe(0)
    clock.advance(1)
    expect(tolerated(() => limit.begin('ada', '10.0.0.1'))).toBe(10)
  })

  it('does not count what succeeds', () => {
    const limit = makeAttemptLimit({ clock })
    const inOut = (): void => {
      limit.begin('ada', '10.0.0.1')
      limit.succeed('ada', '10.0.0.1')
    }
    expect(tolerated(inOut)).toBe(200)
  })

  it('keeps a bounded number of counters', () => {
    const limit = makeAttemptLimit({ clock })
    tolerated(() => limit.begin('ada', '10.0.0.1'))
    for (let i = 0; i < 10_000; i++) tolerated(() => limit.begin(`user${i}`, `10.1.${i}`), 1)
    expect(tolerated(() => limit.begin('ada', '10.0.0.1'))).toBe(10)
  })
})
