import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { documentOf } from '../../../test/harness/api.ts'
import { type Controllers, makeControllers } from '../../../test/harness/controllers.ts'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { makeSideEffects } from '../../../test/harness/side-effects.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'
import type { Runner } from '../runner.ts'
import type { Placement } from './placement.ts'

const tiny = 'resource "terraform_data" "one" {}\n'

/** Runners one call of which is replaced, on every connection. */
const replacing =
  (call: Partial<Runner>) =>
  (inner: Placement): Placement => {
    const replace = async (made: ReturnType<Placement['start']>) => {
      const connected = await made
      const runner = new Proxy(connected.runner, {
        get: (target, name) => Reflect.get(call, name) ?? Reflect.get(target, name).bind(target),
      })
      return { ...connected, runner }
    }
    return {
      ...inner,
      start: (...given) => replace(inner.start(...given)),
      reattach: (...given) => replace(inner.reattach(...given)),
      rebind: (...given) => replace(inner.rebind(...given)),
    }
  }

const broken = (): never => {
  throw new Error('something is broken by the test', { cause: new Error('the root of it') })
}
const hanging = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) })

const expectFree = async (api: Controllers, workspaceId: string): Promise<void> => {
  expect(await api.lockOf(workspaceId)).toBeUndefined()
  await waitFor(async () => (await api.runDirectories()).length === 0, { what: 'the directory of the run to be removed' })
}

describe.skipIf(isAbsent('terraform'))('a phase that always fails inside the server', { timeout: 90_000 }, () => {
  it('ends as errored with the reason, in the plan', async () => {
    const api = await makeControllers()
    api.startController({ leaseMs: 1000, placement: (inner) => ({ ...inner, start: broken }) })
    const workspaceId = await api.workspaceOf(tiny)
    const id = await api.newRun(workspaceId)
    await api.runIn(id, 'errored')
    expect(await api.logOf(id, 'plan')).toMatch(/gave it up after \d tries: the root of it/)
    expect(await api.lockOf(workspaceId)).toBeUndefined()
  })

  it('ends as errored with the reason, in the apply', async () => {
    const api = await makeControllers()
    api.startController({ leaseMs: 1000, placement: replacing({ apply: broken }) })
    const workspaceId = await api.workspaceOf(tiny)
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(id, 'errored')
    expect(await api.logOf(id, 'apply')).toMatch(/gave it up after \d tries: the root of it/)
    await expectFree(api, workspaceId)
  })

  it('keeps what terraform had made by then: it is interrupted, not killed', async () => {
    const api = await makeControllers()
    const effects = await makeSideEffects()
    let isBroken = false
    // The first snapshot of the state arrives; from then on nothing does.
    api.startController({
      leaseMs: 1000,
      placement: (inner) => ({
        ...inner,
        reattach: async (...given) => {
          const connected = await inner.reattach(...given)
          const runner = new Proxy(connected.runner, {
            get: (target, name) => (name === 'attach' && isBroken ? broken : Reflect.get(target, name).bind(target)),
          })
          return { ...connected, runner }
        },
        rebind: async (...given) => {
          const connected = await inner.rebind(...given)
          const stateStream: Runner['stateStream'] = async function* (acks) {
            for await (const snapshot of connected.runner.stateStream(acks)) {
              yield snapshot
              isBroken = true
              broken()
            }
          }
          const runner = new Proxy(connected.runner, {
            get: (target, name) => (name === 'stateStream' ? stateStream : Reflect.get(target, name).bind(target)),
          })
          return { ...connected, runner }
        },
      }),
    })
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 3, gates: [1] }))
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(id, 'errored')
    expect(await api.logOf(id, 'apply')).toMatch(/gave it up after \d tries/)
    expect(await api.resourcesOf(workspaceId)).toEqual(['terraform_data.step0', 'terraform_data.step1 (tainted)'])
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1 })
    await expectFree(api, workspaceId)
  })

  it('can be canceled by force between two tries', async () => {
    const api = await makeControllers({ forceCancelCoolOffMs: 0 })
    api.startController({ leaseMs: 60_000, placement: replacing({ plan: broken }) })
    const workspaceId = await api.workspaceOf(tiny)
    const id = await api.newRun(workspaceId)
    await waitFor(() => api.logged().includes('it will be taken up again'), { what: 'the first try to fail' })
    expect((await api.act(id, 'cancel')).status).toBe(202)
    expect((await api.act(id, 'force-cancel')).status).toBe(202)
    const before = performance.now()
    const run = await api.runIn(id, 'canceled')
    expect(performance.now() - before).toBeLessThan(4000)
    expect(run.attributes['status-timestamps']).toHaveProperty('force-canceled-at')
    expect(await api.logOf(id, 'plan')).toContain('Run canceled by force')
    await expectFree(api, workspaceId)
  })
})

describe.skipIf(isAbsent('terraform'))('a phase that hangs', { timeout: 90_000 }, () => {
  it('ends with a force-cancel, though the runner does not answer to it', async () => {
    const api = await makeControllers({ forceCancelCoolOffMs: 0 })
    api.startController({
      limits: { killGraceMs: 500 },
      placement: replacing({ plan: hanging, cancel: () => new Promise(() => undefined) }),
    })
    const workspaceId = await api.workspaceOf(tiny)
    const id = await api.newRun(workspaceId)
    await api.runIn(id, 'planning')
    await api.act(id, 'cancel')
    await api.act(id, 'force-cancel')
    await api.runIn(id, 'canceled')
    await expectFree(api, workspaceId)
    // The place of it is free again.
    const next = await api.newRun(workspaceId)
    await api.runIn(next, 'planning')
  })

  it('ends with a force-cancel when no server has room for another phase', async () => {
    const api = await makeControllers({ forceCancelCoolOffMs: 0 })
    const effects = await makeSideEffects()
    const stuck = await api.workspaceOf(tiny)
    const id = await api.newRun(stuck)
    // As a server leaves it that is gone.
    const { runnerJobs } = api.db.t
    await api.db.transaction(async (tx) => {
      const left = { status: 'starting', owner: 'gone', leaseUntil: new Date(Date.now() + 600_000) } as const
      await tx.update(runnerJobs).set(left).where(eq(runnerJobs.runId, id))
      await tx.update(tx.t.runs).set({ status: 'planning' }).where(eq(tx.t.runs.id, id))
    })
    let isGone = false
    api.startController({ capacity: 1, presence: { missing: async (owners) => owners.filter((owner) => isGone && owner === 'gone') } })
    const busy = await api.workspaceOf(effects.configuration({ steps: 1, gates: [0] }))
    await api.newRun(busy, { 'auto-apply': true })
    await effects.begun(0)
    isGone = true
    await api.act(id, 'cancel')
    await api.act(id, 'force-cancel')
    await api.runIn(id, 'canceled')
    expect(await api.lockOf(stuck)).toBeUndefined()
    await effects.open(0)
  })
})

describe.skipIf(isAbsent('terraform'))('a phase that takes too long', { timeout: 90_000 }, () => {
  it('is interrupted at the limit, with the reason in its log and all that was made in the state', async () => {
    const api = await makeControllers()
    const effects = await makeSideEffects()
    api.startController({ limits: { applyMs: 4000 } })
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 3, gates: [1] }))
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(id, 'errored')
    const log = await api.logOf(id, 'apply')
    expect(log).toContain('Time limit reached')
    expect(log).toContain('--apply-timeout')
    expect(await api.resourcesOf(workspaceId)).toEqual(['terraform_data.step0', 'terraform_data.step1 (tainted)'])
    await expectFree(api, workspaceId)
  })

  it('has the limit of its organization, or of its workspace', async () => {
    const api = await makeControllers()
    api.startController({ placement: replacing({ plan: hanging }) })
    const { id: workspaceId, organization } = await api.newWorkspace()
    await api.configured(workspaceId)
    // The limit counts from some moment between the two looks at the clock.
    const expectLimit = async (seconds: number): Promise<void> => {
      const before = Date.now()
      const id = await api.newRun(workspaceId, { 'plan-only': true })
      await api.runIn(id, 'planning')
      const [job] = await api.db.select().from(api.db.t.runnerJobs).where(eq(api.db.t.runnerJobs.runId, id))
      const begun = (job?.deadline?.getTime() ?? 0) - seconds * 1000
      expect(begun).toBeGreaterThanOrEqual(before)
      expect(begun).toBeLessThanOrEqual(Date.now())
    }
    await expectLimit(120)
    const limited = (text: string) =>
      api.request('PATCH', `organizations/${organization.name}`, { body: documentOf('organizations', { 'plan-timeout': text }) })
    expect((await limited('soon')).status).toBe(422)
    expect((await limited('100s')).one().attributes).toMatchObject({ 'plan-timeout': '100s', 'apply-timeout': null })
    await expectLimit(100)
    const variable = { key: 'TERRANE_PLAN_TIMEOUT', value: '80s', category: 'env' }
    await api.request('POST', `workspaces/${workspaceId}/vars`, { body: { data: { type: 'vars', attributes: variable } } })
    await expectLimit(80)
  })
})

describe.skipIf(isAbsent('terraform'))('a state that the workspace cannot take', { timeout: 90_000 }, () => {
  it('is kept for download, and the run says so', async () => {
    const api = await makeControllers()
    const effects = await makeSideEffects()
    api.startController()
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 2, gates: [1] }))
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await effects.begun(1)
    const linkage = (await api.run(id)).relationships['apply']?.data
    const applyId = linkage === null || linkage === undefined || Array.isArray(linkage) ? '' : linkage.id
    expect((await api.request('GET', `applies/${applyId}/errored-state`)).status).toBe(404)
    // Nothing in the product does this to a run.
    await api.db.transaction(async (tx) => {
      await tx.update(tx.t.workspaces).set({ lockedById: 'run-another' }).where(eq(tx.t.workspaces.id, workspaceId))
    })
    await effects.open(1)
    await api.runIn(id, 'errored')
    expect(await api.logOf(id, 'apply')).toContain(`/api/v2/applies/${applyId}/errored-state`)
    const redirected = await api.request('GET', `applies/${applyId}/errored-state`)
    expect(redirected.status).toBe(307)
    const { text } = await api.request('GET', redirected.headers.get('location') ?? '', { token: '' })
    const { resources } = JSON.parse(text) as { resources: { name: string }[] }
    expect(resources.map(({ name }) => name)).toEqual(['step0', 'step1'])
  })
})
