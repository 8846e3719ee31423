import { describe, expect, it } from 'vitest'
import { decide, type Decision, holdsLock, isRefusal, type RunCommand, type RunFacts } from './run-machine.ts'
import { isFinal, type RunStatus } from './statuses.ts'

const now = new Date('2026-01-02T03:04:05Z')
const later = new Date(now.getTime() + 60_000)

/** What the world around the machine knows: the lock and the work that its effects have led to. */
type World = { run: RunFacts; isLocked: boolean; openWork: 'plan' | 'apply' | undefined; enqueued: string[] }

const events: RunCommand[] = [
  { kind: 'queue-plan' },
  { kind: 'begin-plan' },
  ...[true, false].flatMap((hasChanges) =>
    [true, false].map((mayAutoApply): RunCommand => ({ kind: 'finish-plan', hasChanges, mayAutoApply })),
  ),
  { kind: 'begin-apply' },
  { kind: 'finish-apply' },
  { kind: 'fail' },
  { kind: 'phase-canceled' },
  ...[true, false].flatMap((isBlocked) => [true, false].map((isStale): RunCommand => ({ kind: 'confirm', isBlocked, isStale }))),
  { kind: 'discard' },
  { kind: 'supersede' },
  { kind: 'cancel' },
  { kind: 'force-cancel', now },
  { kind: 'force-cancel', now: later },
]

/** What may follow what (platform behaviour, run transition table), of the statuses that lead somewhere yet. */
const edges: Partial<Record<RunStatus, RunStatus[]>> = {
  pending: ['queuing', 'discarded', 'canceled', 'errored'],
  queuing: ['plan_queued', 'canceled', 'errored'],
  plan_queued: ['planning', 'canceled', 'errored'],
  planning: ['planned', 'canceled', 'errored'],
  planned: ['planned_and_finished', 'planned_and_saved', 'confirmed', 'discarded', 'canceled', 'errored'],
  planned_and_saved: ['confirmed', 'discarded', 'canceled', 'errored'],
  confirmed: ['queuing_apply', 'canceled', 'errored'],
  queuing_apply: ['apply_queued', 'canceled', 'errored'],
  apply_queued: ['applying', 'canceled', 'errored'],
  applying: ['applied', 'canceled', 'errored'],
}

const beginnings: World[] = [true, false].flatMap((isPlanOnly) =>
  [true, false].flatMap((isSavePlan) =>
    [true, false].flatMap((autoApply) =>
      [true, false].map((allowEmptyApply) => ({
        run: {
          status: 'pending' as const,
          isPlanOnly,
          // Refused at the creation of a run.
          isSavePlan: isSavePlan && !isPlanOnly,
          autoApply,
          allowEmptyApply,
          hasChanges: false,
          cancelRequestedAt: null,
          forceCancelAvailableAt: null,
        },
        isLocked: false,
        openWork: undefined,
        enqueued: [],
      })),
    ),
  ),
)

const endsWork: ReadonlySet<RunCommand['kind']> = new Set(['finish-plan', 'finish-apply', 'fail', 'phase-canceled'])

const after = (world: World, event: RunCommand, { path, effects, hasChanges }: Decision): World => {
  const status = path.at(-1) ?? world.run.status
  const isAsked = effects.includes('request-cancel')
  const started = effects.includes('enqueue-plan') ? 'plan' : effects.includes('enqueue-apply') ? 'apply' : undefined
  const isEnded = endsWork.has(event.kind) || effects.includes('withdraw-work')
  return {
    run: {
      ...world.run,
      status,
      hasChanges: hasChanges ?? world.run.hasChanges,
      cancelRequestedAt: isAsked ? now : world.run.cancelRequestedAt,
      forceCancelAvailableAt: isAsked ? later : world.run.forceCancelAvailableAt,
    },
    isLocked: effects.includes('lock-workspace') || (world.isLocked && !effects.includes('unlock-workspace')),
    openWork: started ?? (isEnded ? undefined : world.openWork),
    enqueued: started === undefined ? world.enqueued : [...world.enqueued, started],
  }
}

type Step = { from: World; event: RunCommand; decision: Decision; to: World }

/** Every world that any sequence of events leads to, with every step that was allowed. */
const explore = (): { worlds: World[]; steps: Step[] } => {
  const seen = new Map<string, World>()
  const steps: Step[] = []
  const queue = [...beginnings]
  for (let world = queue.pop(); world !== undefined; world = queue.pop()) {
    const key = JSON.stringify(world)
    if (seen.has(key)) continue
    seen.set(key, world)
    for (const event of events) {
      const decision = decide(world.run, event)
      if (isRefusal(decision)) continue
      const to = after(world, event, decision)
      steps.push({ from: world, event, decision, to })
      queue.push(to)
    }
  }
  return { worlds: [...seen.values()], steps }
}

const { worlds, steps } = explore()
const open = worlds.filter(({ run }) => !isFinal(run.status))
const told = ({ from, event, to }: Step): string => `${JSON.stringify(from)} + ${JSON.stringify(event)} = ${JSON.stringify(to)}`

describe('whatever happens to a run, in whatever order', () => {
  it('covers every status that there is a way to', () => {
    expect(new Set(worlds.map(({ run }) => run.status))).toEqual(
      new Set([
        // Passed through within one step.
        ...Object.keys(edges).filter((status) => !['queuing', 'confirmed', 'queuing_apply'].includes(status)),
        'planned_and_finished',
        'applied',
        'discarded',
        'errored',
        'canceled',
      ]),
    )
    expect(worlds.length).toBeGreaterThan(200)
  })

  it('every step goes along the edges of the table, and none leaves a final status', () => {
    for (const step of steps) {
      let status = step.from.run.status
      expect(isFinal(status), told(step)).toBe(false)
      for (const next of step.decision.path) {
        expect(edges[status], told(step)).toContain(next)
        status = next
      }
    }
  })

  it('an open run has a way out that needs a person and nobody else', () => {
    // A kill ends the phase whatever its runner does.
    const byHand: RunCommand[] = [{ kind: 'cancel' }, { kind: 'discard' }, { kind: 'force-cancel', now: later }]
    for (const world of open) {
      const ways = byHand.map((event) => ({ event, decision: decide(world.run, event) }))
      const isOut = ways.some(({ decision }) => {
        if (isRefusal(decision)) return false
        if (decision.path.some(isFinal)) return true
        return decision.effects.includes('interrupt-work') || decision.effects.includes('kill-work')
      })
      expect(isOut, JSON.stringify(world)).toBe(true)
    }
  })

  it('a run that was told to cancel ends by a kill, from every status in which it can be', () => {
    for (const world of open.filter(({ run }) => run.cancelRequestedAt !== null)) {
      expect(decide(world.run, { kind: 'force-cancel', now: later }), JSON.stringify(world)).toMatchObject({
        effects: expect.arrayContaining(['kill-work']),
      })
      expect(decide(world.run, { kind: 'phase-canceled' })).toMatchObject({ path: ['canceled'] })
    }
  })

  it('a failure ends it everywhere', () => {
    for (const { run } of open) expect(decide(run, { kind: 'fail' })).toMatchObject({ path: ['errored'] })
  })

  it('has the lock exactly while it says so, takes it free and gives it back once', () => {
    for (const { run, isLocked } of worlds) expect(isLocked, run.status).toBe(!isFinal(run.status) && holdsLock(run))
    for (const step of steps) {
      const { effects } = step.decision
      expect(effects.includes('lock-workspace') && step.from.isLocked, told(step)).toBe(false)
      expect(effects.includes('unlock-workspace') && !step.from.isLocked, told(step)).toBe(false)
    }
  })

  it('plans once and applies once at most, after the plan', () => {
    for (const { enqueued } of worlds) expect([[], ['plan'], ['plan', 'apply']]).toContainEqual(enqueued)
  })

  it('no work is left when it has ended, and there is work when it waits for a worker', () => {
    const workIn: Partial<Record<RunStatus, World['openWork']>> = {
      plan_queued: 'plan',
      planning: 'plan',
      apply_queued: 'apply',
      applying: 'apply',
    }
    for (const { run, openWork } of worlds) expect(openWork, run.status).toBe(workIn[run.status])
  })

  it('nothing is applied that was not confirmed, or that a cancel was asked for', () => {
    for (const step of steps.filter(({ decision }) => decision.effects.includes('enqueue-apply'))) {
      expect(step.from.run.isPlanOnly || step.from.run.cancelRequestedAt !== null, told(step)).toBe(false)
      const isAutomatic = step.event.kind === 'finish-plan' && step.event.mayAutoApply
      expect(isAutomatic || step.event.kind === 'confirm', told(step)).toBe(true)
      expect(step.to.run.hasChanges || step.to.run.allowEmptyApply, told(step)).toBe(true)
    }
  })
})
