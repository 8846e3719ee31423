import { describe, expect, it } from 'vitest'
import { makeControllers } from '../../../test/harness/controllers.ts'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { makeSideEffects } from '../../../test/harness/side-effects.ts'
import { startSlowBackend } from '../../../test/harness/slow-backend.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'

describe.skipIf(isAbsent('terraform'))('a cancel', { timeout: 90_000 }, () => {
  it('in the plan ends it, and the next run starts', async () => {
    const api = await makeControllers()
    api.startController()
    const slow = await startSlowBackend()
    const workspaceId = await api.workspaceOf(slow.configuration)
    const id = await api.newRun(workspaceId)
    const next = await api.newRun(workspaceId)
    await slow.asked()
    expect((await api.act(id, 'cancel')).status).toBe(202)
    await waitFor(async () => (await api.db.select().from(api.db.t.runnerJobs)).some(({ cancelMode }) => cancelMode === 'interrupt'))
    slow.answer()
    const run = await api.runIn(id, 'canceled')
    expect(run.attributes['canceled-at']).not.toBeNull()
    expect((await api.logOf(id, 'plan')).endsWith('\u0003')).toBe(true)
    await api.runIn(next, 'planned')
    expect(await api.lockOf(workspaceId)).toMatchObject({ id: next })
  })

  it('in the apply keeps what was made, and gives the workspace back', async () => {
    const api = await makeControllers()
    api.startController()
    const effects = await makeSideEffects()
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 3, gates: [1] }))
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await effects.begun(1)
    expect((await api.act(id, 'cancel')).status).toBe(202)
    await api.runIn(id, 'canceled')
    expect(await api.resourcesOf(workspaceId)).toEqual(['terraform_data.step0', 'terraform_data.step1 (tainted)'])
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1 })
    expect(await api.lockOf(workspaceId)).toBeUndefined()
    expect(await api.logOf(id, 'apply')).toContain('Interrupt received')
    await waitFor(async () => (await api.runDirectories()).length === 0, { what: 'the directory of the run to be removed' })
  })

  it('by force ends what ignores every signal', async () => {
    const api = await makeControllers({ forceCancelCoolOffMs: 0 })
    api.startController()
    // terraform waits for an answer, whatever it is told.
    const slow = await startSlowBackend()
    const read = slow.configuration.replace('backend = "http"', 'backend = "http"\n  depends_on = [terraform_data.one]')
    const workspaceId = await api.workspaceOf(`resource "terraform_data" "one" {}\n${read}`)
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await slow.asked()
    await api.act(id, 'cancel')
    await waitFor(async () => (await api.logOf(id, 'apply')).includes('Interrupt received'), { what: 'the interrupt to arrive' })
    expect(await api.statusOf(id)).toBe('applying')
    expect((await api.act(id, 'force-cancel')).status).toBe(202)
    const run = await api.runIn(id, 'canceled')
    expect(run.attributes['status-timestamps']).toHaveProperty('force-canceled-at')
    expect(await api.resourcesOf(workspaceId)).toContain('terraform_data.one')
    expect(await api.lockOf(workspaceId)).toBeUndefined()
  })

  it('before a runner was had costs none', async () => {
    const api = await makeControllers()
    const effects = await makeSideEffects()
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 1, gates: [] }))
    const id = await api.newRun(workspaceId, { 'auto-apply': true })
    await api.act(id, 'cancel')
    const next = await api.newRun(workspaceId, { 'auto-apply': true })
    api.startController()
    await api.runIn(next, 'applied')
    expect(await api.statusOf(id)).toBe('canceled')
    expect(await effects.counts()).toEqual({ 0: 1 })
  })
})
