import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { type Controllers, makeControllers } from '../../../test/harness/controllers.ts'
import { makeFaultyPlacement } from '../../../test/harness/faulty-placement.ts'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { makeSideEffects } from '../../../test/harness/side-effects.ts'
import { startSlowBackend } from '../../../test/harness/slow-backend.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'

const tokensOf = async ({ db }: Controllers, runId: string) => {
  const { tokens } = db.t
  return db
    .select({ id: tokens.id, workspaceId: tokens.workspaceId, expiresAt: tokens.expiresAt })
    .from(tokens)
    .where(eq(tokens.runId, runId))
}

const GATED = { steps: 2, gates: [1] }

describe.skipIf(isAbsent('terraform'))('the token of a run', () => {
  it('is one for each phase, ends with it, and at the latest with its deadline', async () => {
    const api = await makeControllers()
    const slow = await startSlowBackend()
    const effects = await makeSideEffects()
    api.startController()
    const workspaceId = await api.workspaceOf(`${slow.configuration}${effects.configuration(GATED)}`)
    const run = await api.newRun(workspaceId)
    await slow.asked()
    const [planning, ...others] = await tokensOf(api, run)
    expect(others).toEqual([])
    expect(planning?.workspaceId).toBe(workspaceId)
    const [job] = await api.db.select().from(api.db.t.runnerJobs)
    expect(planning?.expiresAt).toEqual(job?.deadline)

    slow.answer()
    await api.runIn(run, 'planned')
    expect(await tokensOf(api, run)).toEqual([])

    await api.act(run, 'apply')
    await effects.begun(1)
    const [applying] = await tokensOf(api, run)
    expect(applying?.id).toMatch(/^at-/)
    expect(applying?.id).not.toBe(planning?.id)
    await effects.open(1)
    await api.runIn(run, 'applied')
    expect(await tokensOf(api, run)).toEqual([])
  })

  it('is the same one under the next controller', async () => {
    const api = await makeControllers()
    const effects = await makeSideEffects()
    const first = api.startController()
    const run = await api.newRun(await api.workspaceOf(effects.configuration(GATED)), { 'auto-apply': true })
    await effects.begun(1)
    const before = await tokensOf(api, run)
    expect(before).toHaveLength(1)
    await first.stop()
    api.startController()
    await waitFor(async () => (await api.db.select().from(api.db.t.runnerJobs)).some(({ epoch }) => epoch === 2), {
      what: 'the second controller to take the job',
    })
    expect(await tokensOf(api, run)).toEqual(before)
    await effects.open(1)
    await api.runIn(run, 'applied')
    expect(await tokensOf(api, run)).toEqual([])
  })

  it('ends with a runner that is lost', async () => {
    const api = await makeControllers()
    const effects = await makeSideEffects()
    api.startController({ placement: (inner) => makeFaultyPlacement(inner, { at: 'apply', after: 1, isGone: true }) })
    const run = await api.newRun(await api.workspaceOf(effects.configuration(GATED)), { 'auto-apply': true })
    await api.runIn(run, 'errored')
    expect(await api.logOf(run, 'apply')).toContain('Runner lost')
    expect(await tokensOf(api, run)).toEqual([])
  })

  it('ends with a run that is canceled by force', async () => {
    const api = await makeControllers({ forceCancelCoolOffMs: 0 })
    const slow = await startSlowBackend()
    api.startController()
    const run = await api.newRun(await api.workspaceOf(slow.configuration))
    await slow.asked()
    expect(await tokensOf(api, run)).toHaveLength(1)
    expect((await api.act(run, 'cancel')).status).toBe(202)
    expect((await api.act(run, 'force-cancel')).status).toBe(202)
    await api.runIn(run, 'canceled')
    expect(await tokensOf(api, run)).toEqual([])
  })

  it('ends with a workspace that is deleted under a run', async () => {
    const api = await makeControllers()
    const effects = await makeSideEffects()
    api.startController()
    const workspaceId = await api.workspaceOf(effects.configuration(GATED))
    const run = await api.newRun(workspaceId, { 'auto-apply': true })
    await effects.begun(1)
    expect(await tokensOf(api, run)).toHaveLength(1)
    expect((await api.request('DELETE', `workspaces/${workspaceId}`)).status).toBe(204)
    await waitFor(async () => (await tokensOf(api, run)).length === 0, { timeoutMs: 20_000, what: 'the token to be gone' })
  })
})
