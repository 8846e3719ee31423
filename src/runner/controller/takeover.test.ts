import { describe, expect, it } from 'vitest'
import { type Controllers, makeControllers } from '../../../test/harness/controllers.ts'
import { makeFaultyDatabase } from '../../../test/harness/faulty-database.ts'
import { provisionerLines } from '../../../test/harness/log-lines.ts'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { type SideEffects, makeSideEffects } from '../../../test/harness/side-effects.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'
import { systemClock } from '../../platform/clock.ts'

const STEPS = 3
const LINES = 40

/** A run whose apply stands still in its second resource. */
const applying = async (api: Controllers): Promise<{ id: string; workspaceId: string; effects: SideEffects }> => {
  const effects = await makeSideEffects()
  const workspaceId = await api.workspaceOf(effects.configuration({ steps: STEPS, gates: [1], lines: LINES }))
  const id = await api.newRun(workspaceId, { 'auto-apply': true })
  await effects.begun(1)
  return { id, workspaceId, effects }
}

/** Everything was done once, and the log tells all of it once and in order. */
const expectWhole = async (api: Controllers, { id, workspaceId, effects }: Awaited<ReturnType<typeof applying>>): Promise<void> => {
  const steps = Array.from({ length: STEPS }, (_, step) => step)
  expect(await effects.counts()).toEqual(Object.fromEntries(steps.map((step) => [step, 1])))
  const lines = steps.flatMap((step) => Array.from({ length: LINES }, (_, line) => `step ${step} line ${line}`))
  expect(provisionerLines(await api.logOf(id, 'apply'))).toEqual(lines)
  expect(await api.resourcesOf(workspaceId)).toEqual(steps.map((step) => `terraform_data.step${step}`))
  expect(await api.lockOf(workspaceId)).toBeUndefined()
}

const applyJob = async ({ db }: Controllers) => (await db.select().from(db.t.runnerJobs)).find(({ phase }) => phase === 'apply')
const epochOf = async (api: Controllers): Promise<number> => (await applyJob(api))?.epoch ?? 0

describe.skipIf(isAbsent('terraform'))('another controller', { timeout: 90_000 }, () => {
  it('goes on where one left that was stopped', async () => {
    const api = await makeControllers()
    const first = api.startController()
    const run = await applying(api)
    await first.stop()
    expect(await api.statusOf(run.id)).toBe('applying')
    api.startController()
    await waitFor(async () => (await epochOf(api)) === 2, { what: 'the second controller to take the job' })
    await run.effects.open(1)
    await api.runIn(run.id, 'applied')
    await expectWhole(api, run)
  })

  it.each([[1], [-1]])('takes nothing over from itself, and ends nothing, when the clock jumps by %i h', async (hours) => {
    const jumpMs = hours * 3_600_000
    let offsetMs = 0
    const api = await makeControllers({ clock: { ...systemClock, now: () => new Date(Date.now() + offsetMs) } })
    // It looks at leases more often than it renews its own.
    const controller = api.startController({ leaseMs: 30_000 })
    const run = await applying(api)
    const leaseUntil = async (): Promise<number> => (await applyJob(api))?.leaseUntil?.getTime() ?? 0
    const before = await leaseUntil()
    offsetMs = jumpMs
    // A heartbeat looks whether the phase is over its time limit, too, which is two minutes here.
    controller.signals.changed((await applyJob(api))?.id ?? '')
    await waitFor(async () => Math.abs((await leaseUntil()) - before) > 1_800_000, { timeoutMs: 20_000, what: 'the lease to be renewed' })
    await run.effects.open(1)
    await api.runIn(run.id, 'applied')
    expect(await epochOf(api)).toBe(1)
    expect(api.logged()).not.toContain('took over a running phase')
    await expectWhole(api, run)
  })

  it('goes on after one that is gone, when its lease is over', async () => {
    const api = await makeControllers()
    const database = makeFaultyDatabase()
    api.startController({ leaseMs: 1000, db: database.wrap })
    const run = await applying(api)
    database.cut()
    api.startController({ leaseMs: 1000 })
    await waitFor(async () => (await epochOf(api)) >= 2, { what: 'the second controller to take the job' })
    await run.effects.open(1)
    await api.runIn(run.id, 'applied')
    await expectWhole(api, run)
  })

  it('goes on at once after one that is known to be gone, even without room for more', async () => {
    const api = await makeControllers()
    const database = makeFaultyDatabase()
    api.startController({ leaseMs: 60_000, capacity: 1, db: database.wrap, controllerId: 'first' })
    const run = await applying(api)
    const other = await makeSideEffects()
    let isGone = false
    api.startController({ capacity: 1, presence: { missing: async (owners) => owners.filter((owner) => isGone && owner === 'first') } })
    await api.newRun(await api.workspaceOf(other.configuration({ steps: 1, gates: [0] })), { 'auto-apply': true })
    await other.begun(0)
    database.cut()
    isGone = true
    const before = performance.now()
    const isTaken = async () =>
      (await api.db.select().from(api.db.t.runnerJobs)).some(
        ({ runId, phase, epoch }) => runId === run.id && phase === 'apply' && epoch === 2,
      )
    await waitFor(isTaken, { what: 'the second controller to take the job' })
    expect(performance.now() - before).toBeLessThan(5000)
    await run.effects.open(1)
    await other.open(0)
    await api.runIn(run.id, 'applied')
    await expectWhole(api, run)
  })

  it('goes on while one stands still, whose writes come too late then', async () => {
    const api = await makeControllers()
    const database = makeFaultyDatabase()
    api.startController({ leaseMs: 1000, db: database.wrap })
    const run = await applying(api)
    database.hold()
    api.startController({ leaseMs: 1000 })
    await waitFor(async () => (await epochOf(api)) >= 2, { what: 'the second controller to take the job' })
    // What the first one wrote meanwhile is refused, and it leaves the runner to the second.
    database.release()
    await waitFor(() => api.logged().includes('phase was taken away'), { what: 'the first controller to notice' })
    await run.effects.open(1)
    await api.runIn(run.id, 'applied')
    await expectWhole(api, run)
    expect((await applyJob(api))?.status).toBe('done')
  })

  it('plans again when the runner ended with the controller before', async () => {
    const api = await makeControllers()
    const database = makeFaultyDatabase()
    const effects = await makeSideEffects()
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 1, gates: [] }))
    api.startController({
      leaseMs: 1000,
      db: database.wrap,
      placement: (inner) => ({
        ...inner,
        start: async (identity, signal, bind) => {
          const connected = await inner.start(identity, signal, bind)
          const init: typeof connected.runner.init = () => {
            database.cut()
            throw new Error('the process ends by the test')
          }
          return { ...connected, runner: { ...connected.runner, init } }
        },
      }),
    })
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await waitFor(() => database.failures() > 0, { what: 'the first controller to be gone' })
    api.startController({
      leaseMs: 1000,
      placement: (inner) => ({
        ...inner,
        reattach: (ref, identity, signal) => inner.reattach({ ...ref, instanceId: 'gone' }, identity, signal),
      }),
    })
    await api.runIn(id, 'applied')
    expect(await api.logOf(id, 'plan')).toContain('planning again (attempt 2 of 3)')
    expect(await effects.counts()).toEqual({ 0: 1 })
  })
})

describe.skipIf(isAbsent('terraform'))('a database that fails now and then', { timeout: 90_000 }, () => {
  it('costs time and nothing else', async () => {
    const api = await makeControllers()
    const database = makeFaultyDatabase({ oneOf: 7 })
    api.startController({ leaseMs: 500, db: database.wrap })
    const effects = await makeSideEffects()
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: STEPS, gates: [], lines: LINES }))
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(id, 'applied')
    expect(database.failures()).toBeGreaterThan(1)
    await expectWhole(api, { id, workspaceId, effects })
    const plan = await api.logOf(id, 'plan')
    expect(plan.match(/"change_summary"/g)).toHaveLength(1)
  })
})
