import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFakeClock } from '../../test/harness/fake-clock.ts'
import { type HandRunner, makeHandRunner } from '../../test/harness/hand-runner.ts'
import { type RunApi, makeRunApi } from '../../test/harness/runs.ts'
import { holdsLock } from './run-machine.ts'
import type { RunRow } from './run.ts'
import { isFinal } from './statuses.ts'

const clock = makeFakeClock()
let api: RunApi
let hand: HandRunner

beforeAll(async () => {
  api = await makeRunApi({ clock })
  hand = makeHandRunner(api)
})
afterAll(() => api.drop())

/** The generator of C's example: the same sequence for a seed in every run of the test. */
const makeRandom = (seed: number) => {
  let noise = seed
  const below = (count: number): number => {
    noise = (noise * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(noise / 65_536) % count
  }
  return { below, oneOf: <T>(items: readonly T[]): T | undefined => items[below(Math.max(1, items.length))] }
}

const kinds: Record<string, unknown>[] = [
  {},
  {},
  { 'auto-apply': true },
  { 'plan-only': true },
  { 'save-plan': true },
  { 'allow-empty-apply': true },
  { 'refresh-only': true },
]

const runsOf = (workspaceId: string): Promise<RunRow[]> =>
  Promise.resolve(api.db.select().from(api.db.t.runs).where(eq(api.db.t.runs.workspaceId, workspaceId)).orderBy(api.db.t.runs.position))
const jobsOf = async (workspaceId: string) => {
  const t = api.db.t.runnerJobs
  return api.db.select().from(t).where(eq(t.workspaceId, workspaceId))
}

/** What must hold between any two things that happen. */
const expectSound = async (workspaceId: string): Promise<void> => {
  const [runs, jobs] = [await runsOf(workspaceId), await jobsOf(workspaceId)]
  const [workspace] = await api.db.select().from(api.db.t.workspaces).where(eq(api.db.t.workspaces.id, workspaceId))
  const open = runs.filter(({ isOpen }) => isOpen)
  const told = JSON.stringify(runs.map(({ id, status, isPlanOnly, isSavePlan }) => ({ id, status, isPlanOnly, isSavePlan })))
  for (const run of runs) expect(run.isOpen, told).toBe(!isFinal(run.status))

  const holders = open.filter(holdsLock)
  expect(holders.length, told).toBeLessThan(2)
  if (holders[0] !== undefined) expect(workspace, told).toMatchObject({ lockedByKind: 'run', lockedById: holders[0].id })
  else expect(workspace?.lockedByKind, told).not.toBe('run')

  for (const run of runs) {
    const own = jobs.filter(({ runId, status }) => runId === run.id && (status === 'pending' || status === 'running'))
    const expected = { plan_queued: 'plan', planning: 'plan', apply_queued: 'apply', applying: 'apply' }[run.status as string]
    expect(
      own.map(({ phase }) => phase),
      `${run.id} ${told}`,
    ).toEqual(expected === undefined ? [] : [expected])
  }
  // Nothing that could start is left waiting.
  const waiting = open.filter(({ status }) => status === 'pending')
  if (workspace?.lockedByKind === null) expect(waiting, told).toEqual([])
  expect(
    waiting.filter(({ isPlanOnly, isSavePlan }) => isPlanOnly || isSavePlan),
    told,
  ).toEqual([])
}

describe('whatever people and workers do to the runs of a workspace', { timeout: 120_000 }, () => {
  it.each([1, 2, 3, 4, 5, 6])('nothing gets stuck or lost (%i)', async (seed) => {
    const random = makeRandom(seed * 7919)
    const { id: workspaceId } = await api.newWorkspace()
    await api.configured(workspaceId)
    const openRun = async () => random.oneOf((await runsOf(workspaceId)).filter(({ isOpen }) => isOpen))
    const jobIn = async (status: 'pending' | 'running') => random.oneOf((await jobsOf(workspaceId)).filter((job) => job.status === status))
    const act = async (action: string): Promise<void> => {
      const run = await openRun()
      if (run === undefined) return
      const { status } = await api.act(run.id, action, { comment: 'by chance' })
      expect([202, 403, 409]).toContain(status)
    }
    const finish = async (): Promise<void> => {
      const job = await jobIn('running')
      if (job === undefined) return
      const how = random.below(8)
      if (how === 0) await hand.end(job.runId, job.phase, 'fail')
      else if (how === 1) await hand.end(job.runId, job.phase, 'phase-canceled')
      else if (job.phase === 'apply') await hand.finishApply(job.runId)
      else await hand.finishPlan(job.runId, { hasChanges: how !== 2 })
    }
    const begin = async (): Promise<void> => {
      const job = await jobIn('pending')
      if (job !== undefined) await hand.begin(job.runId, job.phase)
    }
    const lock = async (action: 'lock' | 'unlock'): Promise<void> => {
      await api.request('POST', `workspaces/${workspaceId}/actions/${action}`, { body: {} })
      await api.runs.advanceWorkspace(workspaceId)
    }
    const steps: (() => Promise<unknown>)[] = [
      () => api.newRun(workspaceId, random.oneOf(kinds)),
      () => api.newRun(workspaceId, random.oneOf(kinds)),
      begin,
      begin,
      begin,
      finish,
      finish,
      finish,
      () => act('apply'),
      () => act('apply'),
      () => act('discard'),
      () => act('cancel'),
      () => act('force-cancel'),
      () => act('force-execute'),
      () => lock('lock'),
      () => lock('unlock'),
      () => lock('unlock'),
      async () => clock.advance(40_000),
    ]
    for (let step = 0; step < 60; step++) {
      await random.oneOf(steps)?.()
      await expectSound(workspaceId)
    }

    // Everything ends: workers do what there is, people say no to the rest.
    await lock('unlock')
    for (let round = 0; round < 200; round++) {
      const run = await openRun()
      if (run === undefined) break
      if ((await jobIn('running')) !== undefined) await finish()
      else if ((await jobIn('pending')) !== undefined) await begin()
      else await act('discard')
    }
    await expectSound(workspaceId)
    const ended = await runsOf(workspaceId)
    expect(ended.filter(({ isOpen }) => isOpen)).toEqual([])
    expect(await api.lockOf(workspaceId)).toBeUndefined()
    for (const run of ended) {
      const phases = await api.db.select().from(api.db.t.phases).where(eq(api.db.t.phases.runId, run.id))
      for (const { status } of phases) expect(['finished', 'errored', 'canceled', 'unreachable']).toContain(status)
    }
  })
})
