import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeJobs, type Jobs } from '../../src/platform/jobs/jobs.ts'
import type { NewJob } from '../../src/platform/jobs/queue.ts'
import { silentLog } from '../../src/platform/log.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { makeFakeClock } from '../harness/fake-clock.ts'
import { waitFor } from '../harness/wait-for.ts'

let test: TestDatabase
let clock: ReturnType<typeof makeFakeClock>
const made: Jobs[] = []
beforeEach(async () => {
  test = await openTestDatabase()
  clock = makeFakeClock()
})
afterEach(async () => {
  await Promise.all(made.splice(0).map((jobs) => jobs.stop()))
  await test.drop()
})

const make = (owner: string): Jobs => {
  const jobs = makeJobs({ db: test.db, clock, log: silentLog, owner })
  made.push(jobs)
  return jobs
}

const add = (jobs: Jobs, job: Partial<NewJob> = {}): Promise<void> =>
  test.db.transaction((tx) => jobs.enqueue(tx, { queue: 'mail', payload: {}, ...job }))

const rows = () => test.db.select().from(test.db.t.jobs).orderBy(test.db.t.jobs.createdAt)
const statuses = async (): Promise<string[]> => (await rows()).map((row) => row.status)

/** A promise with its handle outside. */
const makeGate = () => {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const worker = { queue: 'mail', concurrency: 5, leaseMs: 60_000 }

describe('jobs', () => {
  it('run soon after the commit that added them, with their payload', async () => {
    const jobs = make('one')
    const got: unknown[] = []
    jobs.start({ ...worker, handle: async (payload) => void got.push(payload) })
    const failing = test.db.transaction(async (tx) => {
      await jobs.enqueue(tx, { queue: 'mail', payload: { to: 'nobody' } })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await add(jobs, { payload: { to: 'a', count: 9_000_000_000, urgent: true, note: null } })
    await waitFor(async () => (await statuses())[0] === 'done')
    expect(got).toEqual([{ to: 'a', count: 9_000_000_000, urgent: true, note: null }])
    expect((await rows())[0]).toMatchObject({ attempts: 1, owner: null, leaseUntil: null, finishedAt: clock.now(), lastError: null })
  })

  it('wait for their time', async () => {
    const jobs = make('one')
    const got: unknown[] = []
    jobs.start({ ...worker, handle: async (payload) => void got.push(payload['name']) })
    await add(jobs, { payload: { name: 'later' }, runAt: new Date(clock.now().getTime() + 60_000) })
    await add(jobs, { payload: { name: 'now' } })
    await waitFor(() => got.length === 1)
    clock.advance(60_000)
    await waitFor(() => got.length === 2)
    expect(got).toEqual(['now', 'later'])
  })

  it('of other queues are left alone', async () => {
    const jobs = make('one')
    let runs = 0
    jobs.start({ ...worker, handle: async () => void runs++ })
    await add(jobs, { queue: 'other' })
    await add(jobs)
    await waitFor(async () => (await statuses()).includes('done'))
    expect((await statuses()).sort()).toEqual(['done', 'queued'])
    expect(runs).toBe(1)
  })

  it('are shared by two workers and each runs once', async () => {
    const runs: string[] = []
    const byOwner = new Map<string, number>()
    const names = Array.from({ length: 100 }, (_, index) => `job-${index}`)
    const [one, two] = [make('one'), make('two')]
    await test.db.transaction(async (tx) => {
      for (const name of names) await one.enqueue(tx, { queue: 'mail', payload: { name } })
    })
    for (const [owner, jobs] of [
      ['one', one],
      ['two', two],
    ] as const) {
      jobs.start({
        ...worker,
        handle: async (payload) => {
          runs.push(String(payload['name']))
          byOwner.set(owner, (byOwner.get(owner) ?? 0) + 1)
          await new Promise(setImmediate)
        },
      })
    }
    await waitFor(async () => (await statuses()).every((status) => status === 'done'))
    expect(runs.sort()).toEqual(names.sort())
    expect([...byOwner.keys()].sort()).toEqual(['one', 'two'])
  })

  it('run at most as many at a time as asked for', async () => {
    const jobs = make('one')
    let [now, peak, total] = [0, 0, 0]
    for (let count = 0; count < 12; count++) await add(jobs)
    jobs.start({
      ...worker,
      concurrency: 3,
      handle: async () => {
        now += 1
        peak = Math.max(peak, now)
        await new Promise(setImmediate)
        now -= 1
        total += 1
      },
    })
    await waitFor(() => total === 12)
    expect(peak).toBe(3)
  })
})

describe('a key', () => {
  it('admits one waiting job, also when many are added at once', async () => {
    const jobs = make('one')
    await Promise.all(Array.from({ length: 10 }, (_, index) => add(jobs, { key: 'ws-1', payload: { index } })))
    await add(jobs, { key: 'ws-2' })
    await add(jobs, { key: 'ws-1', queue: 'other' })
    expect(await rows()).toHaveLength(3)
  })

  it('is free again after the end', async () => {
    const jobs = make('one')
    let runs = 0
    jobs.start({ ...worker, handle: async () => void runs++ })
    await add(jobs, { key: 'ws-1' })
    await waitFor(async () => (await statuses())[0] === 'done')
    await add(jobs, { key: 'ws-1' })
    await waitFor(() => runs === 2)
    expect(await rows()).toHaveLength(2)
  })

  it('that is added while its job runs makes it run once more, not at the same time', async () => {
    const jobs = make('one')
    const gate = makeGate()
    const runs: unknown[] = []
    let [now, peak] = [0, 0]
    jobs.start({
      ...worker,
      handle: async (payload) => {
        runs.push(payload['index'])
        peak = Math.max(peak, ++now)
        await gate.opened
        now -= 1
      },
    })
    await add(jobs, { key: 'ws-1', payload: { index: 0 } })
    await waitFor(() => runs.length === 1)
    for (const index of [1, 2, 3]) await add(jobs, { key: 'ws-1', payload: { index } })
    gate.open()
    // the second time was one millisecond or more after the first
    clock.advance(10)
    await waitFor(async () => (await statuses()).every((status) => status === 'done'))
    expect(runs).toEqual([0, 3])
    expect(peak).toBe(1)
    expect(await rows()).toHaveLength(1)
  })
})

describe('a job that fails', () => {
  it('is tried again later, then is dead, and its error is kept', async () => {
    const jobs = make('one')
    const attempts: number[] = []
    jobs.start({
      ...worker,
      handle: async (_, { attempt }) => {
        attempts.push(attempt)
        throw new Error(`failure ${attempt}`)
      },
    })
    await add(jobs, { key: 'ws-1', maxAttempts: 3 })
    await waitFor(async () => (await rows())[0]?.lastError === 'failure 1')
    expect((await rows())[0]).toMatchObject({ status: 'queued', attempts: 1, openKey: 'ws-1' })
    expect((await rows())[0]?.runAt.getTime()).toBeGreaterThanOrEqual(clock.now().getTime() + 500)
    clock.advance(1000)
    await waitFor(async () => (await rows())[0]?.lastError === 'failure 2')
    clock.advance(2000)
    await waitFor(async () => (await statuses())[0] === 'dead')
    expect(attempts).toEqual([1, 2, 3])
    expect((await rows())[0]).toMatchObject({ lastError: 'failure 3', openKey: null, finishedAt: clock.now() })
  })
})

describe('a worker that dies', () => {
  it('loses its job to another one after the lease, and its late end changes nothing', async () => {
    const [one, two] = [make('one'), make('two')]
    const gate = makeGate()
    const runs: string[] = []
    one.start({
      ...worker,
      // busy with it, so that it does not take the job back itself
      concurrency: 1,
      handle: async () => {
        runs.push('one')
        await gate.opened
        throw new Error('late')
      },
    })
    await add(one)
    await waitFor(() => runs.length === 1)
    const end = makeGate()
    two.start({
      ...worker,
      handle: async () => {
        runs.push('two')
        await end.opened
      },
    })
    clock.advance(64_999)
    await add(two, { payload: {} })
    await waitFor(() => runs.length === 2)
    expect((await rows()).filter((row) => row.owner?.startsWith('one/'))).toHaveLength(1)
    clock.advance(1)
    await waitFor(() => runs.length === 3)
    gate.open()
    await one.stop()
    expect(await statuses()).toEqual(['running', 'running'])
    end.open()
    await waitFor(async () => (await statuses()).every((status) => status === 'done'))
    expect(runs.slice(0, 1)).toEqual(['one'])
    expect((await rows()).reduce((sum, row) => sum + row.attempts, 0)).toBe(3)
  })

  it('on the last attempt leaves a dead job, not one that is tried for ever', async () => {
    const [one, two] = [make('one'), make('two')]
    const gate = makeGate()
    let runs = 0
    one.start({ ...worker, concurrency: 1, handle: () => (runs++, gate.opened) })
    await add(one, { maxAttempts: 1 })
    await waitFor(() => runs === 1)
    clock.advance(65_000)
    two.start({ ...worker, handle: async () => void runs++ })
    await waitFor(async () => (await statuses())[0] === 'dead')
    gate.open()
    await one.stop()
    expect(await rows()).toMatchObject([{ status: 'dead', lastError: 'the worker died during the last attempt' }])
    expect(runs).toBe(1)
  })

  it('but is only slow keeps its job by extending the lease', async () => {
    const [one, two] = [make('one'), make('two')]
    const gate = makeGate()
    let runs = 0
    one.start({ ...worker, leaseMs: 60, handle: () => (runs++, gate.opened) })
    await add(one)
    await waitFor(() => runs === 1)
    two.start({ ...worker, handle: async () => void runs++ })
    const claimed = (await rows())[0]?.leaseUntil?.getTime() ?? Infinity
    clock.advance(4000)
    await waitFor(async () => ((await rows())[0]?.leaseUntil?.getTime() ?? 0) > claimed)
    clock.advance(4000)
    await add(two)
    await waitFor(() => runs === 2)
    gate.open()
    await waitFor(async () => (await statuses()).every((status) => status === 'done'))
    expect(runs).toBe(2)
  })

  it('but whose job went elsewhere is told by its signal', async () => {
    const one = make('one')
    let aborted = false
    one.start({
      ...worker,
      leaseMs: 60,
      handle: (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true
            reject(new Error('aborted'))
          })
        }),
    })
    await add(one)
    await waitFor(async () => (await statuses())[0] === 'running')
    await test.db.transaction((tx) => tx.update(tx.t.jobs).set({ owner: 'two/x' }).returning())
    await waitFor(() => aborted)
    await one.stop()
    expect(await rows()).toMatchObject([{ status: 'running', owner: 'two/x' }])
  })
})

describe('stop', () => {
  it('aborts what runs, waits for it, and the job runs again without a lost attempt', async () => {
    const one = make('one')
    let running = false
    one.start({
      ...worker,
      handle: (_, { signal }) =>
        new Promise((_, reject) => {
          running = true
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    })
    await add(one, { key: 'ws-1' })
    await waitFor(() => running)
    await one.stop()
    expect(await rows()).toMatchObject([{ status: 'queued', attempts: 0, owner: null, openKey: 'ws-1' }])
    const two = make('two')
    two.start({ ...worker, handle: async () => undefined })
    await waitFor(async () => (await statuses())[0] === 'done')
  })
})
