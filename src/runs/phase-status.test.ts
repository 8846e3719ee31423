import { describe, expect, it } from 'vitest'
import { applyStatusFor, phaseStampKey, planStatusFor, runStampKey } from './phase-status.ts'
import { type PhaseStatus, type RunStatus, runStatuses } from './statuses.ts'

/** Statuses of plan and apply after each status of the run in turn. */
const follow = (...path: RunStatus[]): string[] => {
  let plan: PhaseStatus = 'pending'
  let apply: PhaseStatus = 'pending'
  return path.map((status) => {
    plan = planStatusFor(status, plan)
    apply = applyStatusFor(status, apply)
    return `${plan} ${apply}`
  })
}

describe('plan and apply of a run', () => {
  it('that is applied', () => {
    expect(
      follow(
        'pending',
        'queuing',
        'plan_queued',
        'planning',
        'planned',
        'confirmed',
        'queuing_apply',
        'apply_queued',
        'applying',
        'applied',
      ),
    ).toEqual([
      'pending pending',
      'queued pending',
      'queued pending',
      'running pending',
      'finished pending',
      'finished pending',
      'finished queued',
      'finished queued',
      'finished running',
      'finished finished',
    ])
  })

  it.each<[string, RunStatus[], string]>([
    ['planned and finished', ['plan_queued', 'planning', 'planned', 'planned_and_finished'], 'finished unreachable'],
    ['saved', ['plan_queued', 'planning', 'planned', 'planned_and_saved'], 'finished pending'],
    ['discarded while pending', ['pending', 'discarded'], 'unreachable unreachable'],
    ['discarded after the plan', ['plan_queued', 'planning', 'planned', 'discarded'], 'finished unreachable'],
    ['canceled while pending', ['pending', 'canceled'], 'unreachable unreachable'],
    ['canceled in the queue', ['plan_queued', 'canceled'], 'canceled unreachable'],
    ['canceled while planning', ['plan_queued', 'planning', 'canceled'], 'canceled unreachable'],
    ['canceled before the apply', ['planning', 'planned', 'confirmed', 'queuing_apply', 'apply_queued', 'canceled'], 'finished canceled'],
    ['canceled while applying', ['planning', 'planned', 'apply_queued', 'applying', 'canceled'], 'finished canceled'],
    ['errored before the plan', ['pending', 'fetching', 'errored'], 'unreachable unreachable'],
    ['errored while planning', ['plan_queued', 'planning', 'errored'], 'errored unreachable'],
    ['errored while applying', ['planning', 'planned', 'apply_queued', 'applying', 'errored'], 'finished errored'],
    ['softly failed', ['planning', 'planned', 'policy_checking', 'policy_soft_failed'], 'finished unreachable'],
    ['checked after the plan', ['planning', 'planned', 'post_plan_running', 'post_plan_completed', 'policy_checked'], 'finished pending'],
  ])('%s', (_name, path, expected) => {
    expect(follow(...path).at(-1)).toBe(expected)
  })

  it('never leave a final status', () => {
    for (const status of runStatuses) {
      for (const final of ['finished', 'errored', 'canceled', 'unreachable'] as const) {
        expect(planStatusFor(status, final)).toBe(final)
        expect(applyStatusFor(status, final)).toBe(final)
      }
    }
  })
})

describe('keys of timestamps', () => {
  it('of runs are the statuses, but for fetched', () => {
    expect(runStampKey('planned_and_finished')).toBe('planned-and-finished-at')
    expect(runStampKey('queuing_apply')).toBe('queuing-apply-at')
    expect(runStampKey('fetching_completed')).toBe('fetched-at')
  })

  it('of phases', () => {
    const statuses: PhaseStatus[] = ['pending', 'queued', 'running', 'finished', 'errored', 'canceled', 'unreachable']
    expect(statuses.map(phaseStampKey)).toEqual([
      'pending-at',
      'queued-at',
      'started-at',
      'finished-at',
      'errored-at',
      'canceled-at',
      undefined,
    ])
  })
})
