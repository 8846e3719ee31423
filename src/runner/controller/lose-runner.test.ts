import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Controllers, makeControllers } from '../../../test/harness/controllers.ts'
import { type Fault, type FaultyPlacement, makeFaultyPlacement, type NoRunner } from '../../../test/harness/faulty-placement.ts'
import { provisionerLines } from '../../../test/harness/log-lines.ts'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { makeSideEffects } from '../../../test/harness/side-effects.ts'
import { startSlowBackend } from '../../../test/harness/slow-backend.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'

const startFaulty = (api: Controllers, fault: Fault | NoRunner): FaultyPlacement => {
  let made: FaultyPlacement | undefined
  api.startController({ placement: (inner) => (made = makeFaultyPlacement(inner, fault)) })
  return made!
}

describe.skipIf(isAbsent('terraform'))('a connection that breaks', { timeout: 90_000 }, () => {
  it.each<Fault>([
    { at: 'acquireLease' },
    { at: 'upload' },
    { at: 'prepare' },
    { at: 'init', after: 1 },
    { at: 'plan' },
    { at: 'plan', after: 2 },
    { at: 'show', after: 1 },
    { at: 'download' },
    { at: 'download', after: 1 },
    { at: 'apply' },
    { at: 'apply', after: 1 },
    { at: 'apply', after: 6 },
    { at: 'stateStream' },
    { at: 'stateStream', after: 1 },
  ])('once, at %o, leaves no trace in the run', async (fault) => {
    const api = await makeControllers()
    const faulty = startFaulty(api, { ...fault, times: 1 })
    const effects = await makeSideEffects()
    // Only large blobs have calls of their own.
    const ballast = fault.at === 'upload' || fault.at === 'download' ? `\n# ${randomBytes(100_000).toString('base64')}\n` : ''
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 2, gates: [], lines: 5 }) + ballast)
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(id, 'applied')
    expect(faulty.broken()).toBe(1)
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1 })
    expect(await api.resourcesOf(workspaceId)).toEqual(['terraform_data.step0', 'terraform_data.step1'])
    const lines = [0, 1].flatMap((step) => [0, 1, 2, 3, 4].map((line) => `step ${step} line ${line}`))
    expect(provisionerLines(await api.logOf(id, 'apply'))).toEqual(lines)
    expect((await api.logOf(id, 'plan')).match(/"change_summary"/g)).toHaveLength(1)
  })

  it('again and again without getting on is given up', async () => {
    const api = await makeControllers()
    const faulty = startFaulty(api, { at: 'apply' })
    const effects = await makeSideEffects()
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 1, gates: [] }))
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(id, 'errored')
    expect(faulty.broken()).toBe(11)
    expect(await api.logOf(id, 'apply')).toContain('Runner lost')
    expect(await effects.counts()).toEqual({})
  })
})

describe.skipIf(isAbsent('terraform'))('a runner that cannot be had', { timeout: 90_000 }, () => {
  it('for a while delays the plan, and nobody reads of it', async () => {
    const api = await makeControllers()
    const faulty = startFaulty(api, { at: 'start', times: 2 })
    const id = await api.newRun(await api.workspaceOf('resource "terraform_data" "a" {}'), { 'auto-apply': true })
    await api.runIn(id, 'applied')
    expect(faulty.broken()).toBe(2)
    expect(await api.logOf(id, 'plan')).not.toMatch(/lost|could not be started/)
  })

  it('for a while delays an apply, of which nothing has begun', async () => {
    const api = await makeControllers()
    const planner = api.startController()
    const workspaceId = await api.workspaceOf('resource "terraform_data" "a" {}')
    const id = await api.newRun(workspaceId)
    await api.runIn(id, 'planned')
    await planner.stop()
    const faulty = startFaulty(api, { at: 'start', times: 2 })
    expect((await api.request('POST', `runs/${id}/actions/apply`)).status).toBe(202)
    await api.runIn(id, 'applied')
    expect(faulty.broken()).toBe(2)
    expect(await api.resourcesOf(workspaceId)).toEqual(['terraform_data.a'])
  })

  it('three times ends the run, with the reason, and frees its workspace', async () => {
    const api = await makeControllers()
    const faulty = startFaulty(api, { at: 'start', times: 3 })
    const workspaceId = await api.workspaceOf('resource "terraform_data" "a" {}')
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(id, 'errored')
    expect(faulty.broken()).toBe(3)
    expect(await api.logOf(id, 'plan')).toContain('there is no runner by the test')
    const next = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(next, 'applied')
  })
})

describe.skipIf(isAbsent('terraform'))('a runner that is lost', { timeout: 90_000 }, () => {
  it('in the plan is replaced, and the log says so', async () => {
    const api = await makeControllers()
    const faulty = startFaulty(api, { at: 'plan', after: 1, times: 1, isGone: true })
    const effects = await makeSideEffects()
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 1, gates: [] }))
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(id, 'applied')
    expect(faulty.broken()).toBe(1)
    const log = await api.logOf(id, 'plan')
    expect(log).toContain('The runner was lost; planning again (attempt 2 of 3).')
    expect(log.match(/Initializing plugins and modules/g)).toHaveLength(1)
    expect(await effects.counts()).toEqual({ 0: 1 })
  })

  it('in three plans ends the run', async () => {
    const api = await makeControllers()
    const faulty = startFaulty(api, { at: 'plan', after: 1, isGone: true })
    const workspaceId = await api.workspaceOf('output "a" {\n  value = 1\n}\n')
    const id = await api.newRun(workspaceId)
    await api.runIn(id, 'errored')
    expect(faulty.starts()).toBe(3)
    const log = await api.logOf(id, 'plan')
    expect(log).toContain('(attempt 2 of 3)')
    expect(log).toContain('(attempt 3 of 3)')
    expect(log).toContain('The runner was lost during the plan. Start a new run.')
    expect(await api.lockOf(workspaceId)).toBeUndefined()
    expect(await api.runDirectories()).toEqual([])
  })

  it('in a plan that was to be canceled is not replaced', async () => {
    const api = await makeControllers()
    const slow = await startSlowBackend()
    const faulty = startFaulty(api, { at: 'cancel', isGone: true })
    const workspaceId = await api.workspaceOf(slow.configuration)
    const id = await api.newRun(workspaceId)
    await slow.asked()
    await api.act(id, 'cancel')
    await api.runIn(id, 'canceled')
    expect(faulty.starts()).toBe(1)
  })

  it('in the apply is never replaced: the state on its disk counts, the rest is for the next run', async () => {
    const api = await makeControllers()
    const faulty = startFaulty(api, { at: 'stateStream', after: 1, times: 1, isGone: true })
    const effects = await makeSideEffects()
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 4, gates: [2] }))
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(id, 'errored')
    expect(faulty.starts()).toBe(1)
    const log = await api.logOf(id, 'apply')
    expect(log).toContain('The runner was lost during the apply.')
    expect(await api.lockOf(workspaceId)).toBeUndefined()
    const kept = await api.resourcesOf(workspaceId)
    const before = await effects.counts()
    // What is in the state was made once; what was in flight is named.
    for (const name of kept.filter((each) => !each.includes('tainted'))) expect(before[Number(name.slice(-1))]).toBe(1)
    const begun = Object.keys(before).map((step) => `terraform_data.step${step}`)
    for (const name of begun.filter((each) => !kept.includes(each))) expect(log).toContain(`${name} (create)`)

    await effects.open(2)
    const next = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.runIn(next, 'applied')
    expect(await api.resourcesOf(workspaceId)).toEqual([0, 1, 2, 3].map((step) => `terraform_data.step${step}`))
    const after = await effects.counts()
    for (const name of kept.filter((each) => !each.includes('tainted'))) expect(after[Number(name.slice(-1))]).toBe(1)
  })

  it('in mid-apply leaves the two finished resources and names the third', async () => {
    const api = await makeControllers()
    const effects = await makeSideEffects()
    startFaulty(api, { at: 'cancel', isGone: true })
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 5, gates: [2] }))
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await waitFor(async () => (await api.logOf(id, 'apply')).includes('step 2 line'), { what: 'the third resource in the log' })
    // The cancel is what finds the connection broken.
    await api.act(id, 'cancel')
    await api.runIn(id, 'canceled')
    const log = await api.logOf(id, 'apply')
    expect(log).toContain('In flight when it was lost: terraform_data.step2 (create)')
    expect(await api.resourcesOf(workspaceId)).toEqual(['terraform_data.step0', 'terraform_data.step1'])
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 1 })
  })
})
