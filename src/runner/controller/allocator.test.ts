import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { makeControllers } from '../../../test/harness/controllers.ts'
import { makeHandRunner } from '../../../test/harness/hand-runner.ts'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'
import type { Placement } from './placement.ts'

const tiny = 'output "a" {\n  value = 1\n}\n'

/** Watches which runners there are at a time. */
const makeWatch = () => {
  const order: string[] = []
  let now = 0
  let most = 0
  const wrap = (inner: Placement): Placement => ({
    ...inner,
    start: async (identity, signal, bind) => {
      order.push(`${identity.workspaceId} ${identity.phase}`)
      now += 1
      most = Math.max(most, now)
      return inner.start(identity, signal, bind)
    },
    discard: async (ref) => {
      await inner.discard(ref)
      now -= 1
    },
  })
  return { wrap, order, most: () => most, now: () => now }
}

describe.skipIf(isAbsent('terraform'))('work for runners', { timeout: 90_000 }, () => {
  it('of 20 workspaces is done by four at a time, all of it', async () => {
    const api = await makeControllers()
    const watch = makeWatch()
    const organization = await api.newOrganization()
    const runs: string[] = []
    for (let index = 0; index < 20; index++) {
      const { id } = await api.newWorkspace({}, organization)
      await api.configured(id, { 'main.tf': tiny })
      runs.push(await api.newRun(id, { 'plan-only': true }))
    }
    api.startController({ capacity: 4, placement: watch.wrap })
    for (const id of runs) await api.runIn(id, 'planned_and_finished')
    await waitFor(() => watch.now() === 0, { what: 'the runners to end' })
    expect(watch.order).toHaveLength(20)
    expect(watch.most()).toBe(4)
    expect(await api.runDirectories()).toEqual([])
  })

  it('is taken in the order of its weight: applies, plans, speculative plans', async () => {
    const api = await makeControllers()
    const watch = makeWatch()
    const hand = makeHandRunner(api)
    const [speculative, plan, apply] = [await api.workspaceOf(tiny), await api.workspaceOf(tiny), await api.workspaceOf(tiny)]
    const runs = [await api.newRun(speculative, { 'plan-only': true }), await api.newRun(plan)]
    const planned = await api.newRun(apply, { 'auto-apply': true })
    await hand.plan(planned)
    const { runnerJobs } = api.db.t
    await api.db.transaction(async (tx) => {
      await tx.update(runnerJobs).set({ status: 'done' }).where(eq(runnerJobs.priority, 1))
      await tx.update(runnerJobs).set({ status: 'pending' }).where(eq(runnerJobs.workspaceId, plan))
    })
    api.startController({ capacity: 1, placement: watch.wrap })
    await api.runIn(runs[0] ?? '', 'planned_and_finished')
    expect(watch.order).toEqual([`${apply} apply`, `${plan} plan`, `${speculative} plan`])
    // There is no plan file: it was planned by hand.
    expect(await api.logOf(planned, 'apply')).toContain('Plan is missing')
  })

  it('is shared by two controllers, each job done by one', async () => {
    const api = await makeControllers()
    const [one, two] = [makeWatch(), makeWatch()]
    const runs: string[] = []
    for (let index = 0; index < 8; index++) runs.push(await api.newRun(await api.workspaceOf(tiny), { 'plan-only': true }))
    api.startController({ capacity: 1, placement: one.wrap })
    api.startController({ capacity: 1, placement: two.wrap })
    for (const id of runs) await api.runIn(id, 'planned_and_finished')
    expect(one.order.length + two.order.length).toBe(8)
    expect(new Set([...one.order, ...two.order]).size).toBe(8)
    expect(Math.min(one.order.length, two.order.length)).toBeGreaterThan(0)
  })

  it('is let through as runners get free, however much one organization has asked for', async () => {
    const api = await makeControllers({ capacity: 2 })
    const watch = makeWatch()
    const [greedy, modest] = [await api.newOrganization(), await api.newOrganization()]
    const runs: { id: string; workspaceId: string }[] = []
    for (const organization of [greedy, greedy, greedy, greedy, greedy, modest]) {
      const { id } = await api.newWorkspace({}, organization)
      await api.configured(id, { 'main.tf': tiny })
      runs.push({ id: await api.newRun(id, { 'plan-only': true }), workspaceId: id })
    }
    const statuses = await Promise.all(runs.map(({ id }) => api.statusOf(id)))
    expect(statuses).toEqual(['plan_queued', 'plan_queued', 'pending', 'pending', 'pending', 'pending'])
    api.startController({ capacity: 1, placement: watch.wrap })
    for (const { id } of runs) await api.runIn(id, 'planned_and_finished')
    // Two were let through before, then it is the turn of whoever had nothing yet.
    expect(watch.order[2]).toBe(`${runs[5]?.workspaceId} plan`)
    expect(watch.order).toHaveLength(6)
  })

  it('is not all for the workspace whose run has just ended', async () => {
    const api = await makeControllers({ capacity: 1 })
    const watch = makeWatch()
    const [one, other] = [await api.workspaceOf('resource "terraform_data" "a" {}\n'), await api.workspaceOf(tiny)]
    const runs: string[] = []
    for (const workspace of [one, one, other]) runs.push(await api.newRun(workspace, { 'auto-apply': true }))
    api.startController({ capacity: 1, placement: watch.wrap })
    for (const id of runs)
      await waitFor(async () => /^(applied|planned_and_finished)$/.test(String(await api.statusOf(id))), { timeoutMs: 60_000 })
    expect(watch.order.filter((line) => line.endsWith(' plan'))).toEqual([`${one} plan`, `${other} plan`, `${one} plan`])
  })

  it('is not begun any more by one that was stopped', async () => {
    const api = await makeControllers()
    const first = api.startController()
    await first.stop()
    const id = await api.newRun(await api.workspaceOf(tiny), { 'plan-only': true })
    first.signals.pending()
    expect(await api.statusOf(id)).toBe('plan_queued')
    api.startController()
    await api.runIn(id, 'planned_and_finished')
  })
})
