import { describe, expect, it } from 'vitest'
import { type Controllers, makeControllers } from '../../../test/harness/controllers.ts'
import { isAbsent } from '../../../test/harness/requirements.ts'
import { makeSideEffects } from '../../../test/harness/side-effects.ts'
import { startSlowBackend } from '../../../test/harness/slow-backend.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'

const expectQuiet = async (api: Controllers): Promise<void> => {
  await waitFor(() => api.logged().includes('phase was taken away'), { what: 'the controller to notice' })
  await waitFor(async () => (await api.runDirectories()).length === 0, { what: 'the directory of the run to be removed' })
  expect(api.logged()).not.toContain('phase interrupted')
  expect(api.logged()).not.toContain('"level":50')
}

describe.skipIf(isAbsent('terraform'))('a run that is deleted', { timeout: 90_000 }, () => {
  it('with its workspace in the apply ends its runner, quietly', async () => {
    const api = await makeControllers()
    api.startController({ leaseMs: 1000 })
    const effects = await makeSideEffects()
    const workspaceId = await api.workspaceOf(effects.configuration({ steps: 2, gates: [0] }))
    await api.newRun(workspaceId, { 'auto-apply': true })
    await effects.begun(0)
    expect((await api.request('DELETE', `workspaces/${workspaceId}`)).status).toBe(204)
    await expectQuiet(api)
    await effects.open(0)
    expect(await effects.counts()).toEqual({ 0: 1 })
  })

  it('with its organization in the plan, too', async () => {
    const api = await makeControllers()
    api.startController({ leaseMs: 1000 })
    const slow = await startSlowBackend()
    const { id, organization } = await api.newWorkspace()
    await api.configured(id, { 'main.tf': slow.configuration })
    await api.newRun(id)
    await slow.asked()
    expect((await api.request('DELETE', `organizations/${organization.name}`)).status).toBe(204)
    await expectQuiet(api)
  })

  it('while its runner is being started leaves none', async () => {
    const api = await makeControllers()
    let deleted: Promise<unknown> | undefined
    const workspaceId = await api.workspaceOf('output "a" {\n  value = 1\n}\n')
    api.startController({
      placement: (inner) => ({
        ...inner,
        start: async (identity, signal, bind) => {
          const connected = await inner.start(identity, signal, bind)
          deleted ??= api.request('DELETE', `workspaces/${workspaceId}`)
          await deleted
          return connected
        },
      }),
    })
    await api.newRun(workspaceId)
    await waitFor(() => deleted !== undefined)
    await expectQuiet(api)
  })

  it('does not stand in the way of the next', async () => {
    const api = await makeControllers()
    api.startController({ leaseMs: 1000, capacity: 1 })
    const effects = await makeSideEffects()
    const gone = await api.workspaceOf(effects.configuration({ steps: 1, gates: [0] }))
    await api.newRun(gone, { 'auto-apply': true })
    await effects.begun(0)
    const next = await api.newRun(await api.workspaceOf('output "a" {\n  value = 1\n}\n'), { 'plan-only': true })
    await api.request('DELETE', `workspaces/${gone}`)
    await api.runIn(next, 'planned_and_finished')
  })
})
