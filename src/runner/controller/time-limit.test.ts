import { describe, expect, it } from 'vitest'
import { timeLimitMs } from './time-limit.ts'

const HOUR_MS = 3_600_000
const server = { planMs: 2 * HOUR_MS, applyMs: 24 * HOUR_MS }
const none = { timeLimits: { plan: null, apply: null }, variables: [] }
const variable = (key: string, value: string, category: 'env' | 'terraform' = 'env') => ({
  key,
  value,
  category,
  hcl: false,
  sensitive: false,
})

describe('the time limit of a phase', () => {
  it('is that of the server', () => {
    expect(timeLimitMs(server, 'plan', none)).toBe(2 * HOUR_MS)
    expect(timeLimitMs(server, 'apply', none)).toBe(24 * HOUR_MS)
  })

  it('is shorter where the organization or the workspace says so, never longer', () => {
    const ofOrganization = { ...none, timeLimits: { plan: '1h', apply: '48h' } }
    expect(timeLimitMs(server, 'plan', ofOrganization)).toBe(HOUR_MS)
    expect(timeLimitMs(server, 'apply', ofOrganization)).toBe(24 * HOUR_MS)
    const variables = [variable('TERRANE_PLAN_TIMEOUT', '10m'), variable('TERRANE_APPLY_TIMEOUT', '12h')]
    expect(timeLimitMs(server, 'plan', { ...ofOrganization, variables })).toBe(HOUR_MS / 6)
    expect(timeLimitMs(server, 'apply', { ...ofOrganization, variables })).toBe(12 * HOUR_MS)
  })

  it('minds no text that is no duration, and no variable of terraform', () => {
    const variables = [variable('TERRANE_PLAN_TIMEOUT', 'soon'), variable('TERRANE_PLAN_TIMEOUT', '1s', 'terraform')]
    expect(timeLimitMs(server, 'plan', { ...none, variables })).toBe(2 * HOUR_MS)
  })
})
