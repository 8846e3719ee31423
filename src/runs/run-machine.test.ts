import { describe, expect, it } from 'vitest'
import {
  decide,
  holdsLock,
  isConfirmable,
  isDiscardable,
  isForceCancelable,
  isRefusal,
  type RunCommand,
  type RunFacts,
} from './run-machine.ts'
import { isCancelable, isFinal, runStatuses, type RunStatus } from './statuses.ts'

const now = new Date('2026-01-02T03:04:05Z')
const later = new Date(now.getTime() + 1)
const earlier = new Date(now.getTime() - 1)

const plain: RunFacts = {
  status: 'pending',
  isPlanOnly: false,
  isSavePlan: false,
  autoApply: false,
  allowEmptyApply: false,
  hasChanges: true,
  cancelRequestedAt: null,
  forceCancelAvailableAt: null,
}

const commands = {
  'queue-plan': { kind: 'queue-plan' },
  'begin-plan': { kind: 'begin-plan' },
  'finish-plan': { kind: 'finish-plan', hasChanges: true, mayAutoApply: true },
  'begin-apply': { kind: 'begin-apply' },
  'finish-apply': { kind: 'finish-apply' },
  fail: { kind: 'fail' },
  'phase-canceled': { kind: 'phase-canceled' },
  confirm: { kind: 'confirm', isBlocked: false, isStale: false },
  discard: { kind: 'discard' },
  supersede: { kind: 'supersede' },
  cancel: { kind: 'cancel' },
  'force-cancel': { kind: 'force-cancel', now },
} satisfies Record<RunCommand['kind'], RunCommand>

const kinds = Object.keys(commands) as RunCommand['kind'][]

/** `statuses passed / effects`, or the code of the refusal. */
const answer = (run: RunFacts, command: RunCommand): string => {
  const decision = decide(run, command)
  return isRefusal(decision) ? decision.refused : `${decision.path.join(' ')} / ${decision.effects.join(' ')}`.trim()
}

const UNLOCK = 'unlock-workspace'
const fails = `errored / ${UNLOCK}`
const ends = `canceled / mark-canceled ${UNLOCK}`
const discards = `discarded / ${UNLOCK}`
const waits = `canceled / request-cancel mark-canceled withdraw-work ${UNLOCK}`
const interrupts = '/ request-cancel interrupt-work'
const confirms = 'confirmed queuing_apply apply_queued / enqueue-apply'

/** A plain run with changes: what each command does to it. What is not named is refused. */
const table: Partial<Record<RunStatus, Partial<Record<RunCommand['kind'], string>>>> = {
  pending: {
    'queue-plan': 'queuing plan_queued / lock-workspace enqueue-plan',
    fail: 'errored /',
    'phase-canceled': 'canceled / mark-canceled',
    discard: 'discarded /',
    cancel: 'canceled / request-cancel mark-canceled withdraw-work',
  },
  fetching: { fail: fails, 'phase-canceled': ends, cancel: waits },
  fetching_completed: { fail: fails, 'phase-canceled': ends, cancel: waits },
  pre_plan_running: { fail: fails, 'phase-canceled': ends, cancel: waits },
  pre_plan_completed: { fail: fails, 'phase-canceled': ends, cancel: waits },
  queuing: { fail: fails, 'phase-canceled': ends, cancel: waits },
  plan_queued: { 'begin-plan': 'planning /', fail: fails, 'phase-canceled': ends, cancel: waits },
  planning: { 'begin-plan': '/', 'finish-plan': 'planned /', fail: fails, 'phase-canceled': ends, cancel: interrupts },
  planned: { fail: fails, 'phase-canceled': ends, confirm: confirms, discard: discards },
  post_plan_running: { fail: fails, 'phase-canceled': ends, cancel: waits },
  post_plan_completed: { fail: fails, 'phase-canceled': ends, confirm: confirms, discard: discards },
  post_plan_awaiting_decision: { fail: fails, 'phase-canceled': ends, discard: discards },
  cost_estimating: { fail: fails, 'phase-canceled': ends, cancel: waits },
  cost_estimated: { fail: fails, 'phase-canceled': ends, confirm: confirms, discard: discards },
  policy_checking: { fail: fails, 'phase-canceled': ends, cancel: waits },
  policy_override: { fail: fails, 'phase-canceled': ends, discard: discards },
  policy_checked: { fail: fails, 'phase-canceled': ends, confirm: confirms, discard: discards },
  planned_and_saved: { fail: fails, 'phase-canceled': ends, confirm: confirms, discard: discards, supersede: 'discarded /' },
  confirmed: { fail: fails, 'phase-canceled': ends, cancel: waits },
  pre_apply_running: { fail: fails, 'phase-canceled': ends, cancel: waits },
  pre_apply_completed: { fail: fails, 'phase-canceled': ends, cancel: waits },
  queuing_apply: { fail: fails, 'phase-canceled': ends, cancel: waits },
  apply_queued: { 'begin-apply': 'applying /', fail: fails, 'phase-canceled': ends, cancel: waits },
  applying: { 'finish-apply': `applied / ${UNLOCK}`, fail: fails, 'phase-canceled': ends, cancel: interrupts },
  post_apply_running: { fail: fails, 'phase-canceled': ends, cancel: waits },
  post_apply_completed: { fail: fails, 'phase-canceled': ends },
}

describe('a plain run', () => {
  it.each(runStatuses.flatMap((status) => kinds.map((kind) => [status, kind] as const)))('%s: %s', (status, kind) => {
    expect(answer({ ...plain, status }, commands[kind])).toBe(table[status]?.[kind] ?? 'CONFLICT')
  })

  it('has ended in six statuses, where everything is refused with the status in the text', () => {
    const finals = runStatuses.filter(isFinal)
    expect(finals).toEqual(['policy_soft_failed', 'planned_and_finished', 'applied', 'discarded', 'errored', 'canceled'])
    for (const status of finals) {
      for (const kind of kinds)
        expect(decide({ ...plain, status }, commands[kind])).toMatchObject({ because: expect.stringContaining(status) })
    }
  })
})

describe('a finished plan', () => {
  const finish = (facts: Partial<RunFacts>, { hasChanges = true, mayAutoApply = true } = {}): string =>
    answer({ ...plain, status: 'planning', hasChanges: false, ...facts }, { kind: 'finish-plan', hasChanges, mayAutoApply })
  const none = { hasChanges: false }
  const done = `planned planned_and_finished / ${UNLOCK}`
  const applies = `planned ${confirms}`

  it.each<[string, string, string]>([
    ['waits for a person', finish({}), 'planned /'],
    ['has nothing to change', finish({}, none), done],
    ['has nothing to change, auto-apply', finish({ autoApply: true }, none), done],
    ['auto-apply', finish({ autoApply: true }), applies],
    ['auto-apply without the right to it', finish({ autoApply: true }, { mayAutoApply: false }), 'planned /'],
    ['allowed to be empty, with changes', finish({ allowEmptyApply: true }), 'planned /'],
    ['allowed to be empty, and empty', finish({ allowEmptyApply: true }, none), applies],
    ['allowed to be empty, without the right', finish({ allowEmptyApply: true }, { hasChanges: false, mayAutoApply: false }), 'planned /'],
    ['plan only', finish({ isPlanOnly: true }), 'planned planned_and_finished /'],
    ['plan only, auto-apply', finish({ isPlanOnly: true, autoApply: true, allowEmptyApply: true }), 'planned planned_and_finished /'],
    ['plan only, empty', finish({ isPlanOnly: true }, none), 'planned planned_and_finished /'],
    ['saved', finish({ isSavePlan: true }), 'planned planned_and_saved /'],
    ['saved, auto-apply', finish({ isSavePlan: true, autoApply: true }), 'planned planned_and_saved /'],
    ['saved, empty', finish({ isSavePlan: true }, none), 'planned planned_and_finished /'],
    ['saved, allowed to be empty', finish({ isSavePlan: true, allowEmptyApply: true }, none), 'planned planned_and_saved /'],
    ['cancel asked for', finish({ cancelRequestedAt: now, autoApply: true }), ends],
    ['cancel asked for, plan only', finish({ cancelRequestedAt: now, isPlanOnly: true }), 'canceled / mark-canceled'],
  ])('%s', (_name, actual, expected) => {
    expect(actual).toBe(expected)
  })

  it('says whether there are changes', () => {
    const decision = decide(
      { ...plain, status: 'planning', hasChanges: false },
      { kind: 'finish-plan', hasChanges: true, mayAutoApply: true },
    )
    expect(decision).toMatchObject({ hasChanges: true })
  })
})

describe('plan-only runs and saved plans', () => {
  it('are queued without the lock', () => {
    const queued = 'queuing plan_queued / enqueue-plan'
    expect(answer({ ...plain, isPlanOnly: true }, commands['queue-plan'])).toBe(queued)
    expect(answer({ ...plain, isSavePlan: true }, commands['queue-plan'])).toBe(queued)
  })

  it.each<[RunStatus, Partial<RunFacts>, boolean]>([
    ['pending', {}, false],
    ['plan_queued', {}, true],
    ['planned', {}, true],
    ['applying', {}, true],
    ['planning', { isPlanOnly: true }, false],
    ['planning', { isSavePlan: true }, false],
    ['planned_and_saved', { isSavePlan: true }, false],
    ['confirmed', { isSavePlan: true }, true],
    ['pre_apply_running', { isSavePlan: true }, true],
    ['apply_queued', { isSavePlan: true }, true],
    ['applying', { isSavePlan: true }, true],
    ['post_apply_running', { isSavePlan: true }, true],
  ])('in %s with %o hold the lock: %s', (status, flags, expected) => {
    expect(holdsLock({ ...plain, status, ...flags })).toBe(expected)
  })

  it('take it with the confirmation, if it is free', () => {
    const saved = { ...plain, status: 'planned_and_saved' as const, isSavePlan: true }
    expect(answer(saved, { kind: 'confirm', isBlocked: false, isStale: false })).toBe(
      'confirmed queuing_apply apply_queued / lock-workspace enqueue-apply',
    )
    expect(answer(saved, { kind: 'confirm', isBlocked: true, isStale: false })).toBe('CONFLICT')
    expect(answer(saved, { kind: 'confirm', isBlocked: false, isStale: true })).toBe('CONFLICT')
    expect(answer(saved, commands.discard)).toBe('discarded /')
  })

  it('never wait for a confirmation when plan-only', () => {
    for (const status of runStatuses) expect(isConfirmable({ ...plain, status, isPlanOnly: true })).toBe(status === 'planned_and_saved')
  })
})

describe('cancel', () => {
  it('is asked for once', () => {
    for (const status of runStatuses) expect(answer({ ...plain, status, cancelRequestedAt: now }, commands.cancel)).toBe('CONFLICT')
  })

  it('stands in the way of a confirmation', () => {
    expect(answer({ ...plain, status: 'planned', cancelRequestedAt: now }, commands.confirm)).toBe('CONFLICT')
  })

  it.each<[string, Partial<RunFacts>, boolean]>([
    ['nobody has asked for a cancel', {}, false],
    ['the cool-off is not over', { cancelRequestedAt: earlier, forceCancelAvailableAt: later }, false],
    ['the cool-off ends now', { cancelRequestedAt: earlier, forceCancelAvailableAt: now }, true],
    ['the run has ended', { cancelRequestedAt: earlier, forceCancelAvailableAt: earlier, status: 'canceled' }, false],
  ])('by force, when %s', (_name, facts, expected) => {
    const run = { ...plain, status: 'applying' as const, ...facts }
    expect(isForceCancelable(run, now)).toBe(expected)
    expect(answer(run, commands['force-cancel'])).toBe(expected ? '/ mark-force-canceled kill-work' : 'CONFLICT')
  })
})

describe('what may be done', () => {
  const emptyAllowed = { ...plain, hasChanges: false, allowEmptyApply: true }
  const waiting = ['planned', 'post_plan_completed', 'cost_estimated', 'policy_checked', 'planned_and_saved']

  it.each(runStatuses)('in %s agrees with what the commands do', (status) => {
    const run = { ...plain, status }
    expect(isConfirmable(run)).toBe(waiting.includes(status))
    expect(isConfirmable({ ...emptyAllowed, status })).toBe(waiting.includes(status))
    expect(answer(run, commands.confirm) !== 'CONFLICT').toBe(isConfirmable(run))
    expect(answer(run, commands.cancel) !== 'CONFLICT').toBe(isCancelable(status))
    // Discarding a pending run is allowed and not advertised.
    expect(answer(run, commands.discard) !== 'CONFLICT').toBe(isDiscardable(run) || status === 'pending')
  })

  it('without changes is nothing to confirm', () => {
    for (const status of ['planned', 'post_plan_completed', 'cost_estimated', 'policy_checked'] as const)
      expect(isConfirmable({ ...plain, status, hasChanges: false })).toBe(false)
  })
})
