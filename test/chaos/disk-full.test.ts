import { describe, expect, it } from 'vitest'
import { logText } from '../harness/log-lines.ts'
import { canMount, makeSmallDisk } from '../harness/small-disk.ts'
import { makeSideEffects } from '../harness/side-effects.ts'
import { serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { makeWorkspace } from './make-workspace.ts'

const STEPS = 12

describe.skipIf(!(await canMount()))('a full disk', () => {
  it('of the runner in an apply: terraform is stopped, what was done is in the state or named, the next run makes the rest', async () => {
    const [disk, effects] = [await makeSmallDisk(24), await makeSideEffects()]
    const server = await serverOfTest({ workDir: disk.path })
    const project = await makeWorkspace(server, 'full')
    const big = `input      = join("", [for n in range(1000) : "${'0123456789'.repeat(40)}"])`
    const main = effects.configuration({ steps: STEPS, gates: [6], lines: 50 }).replace('input      = 6', big)
    expect(main).toContain(big)
    const files = { 'main.tf': main }
    const { id } = await project.uploadAndRun(files, { 'auto-apply': true })
    await effects.begun(6)
    await disk.fill()
    await effects.open(6)
    const errored = await project.runIn(id, 'errored', 'applied')
    const log = logText(await project.log(errored, 'apply'))
    expect(errored.attributes['status']).toBe('errored')
    const kept = (await project.resources()).filter(({ isTainted }) => !isTainted).map(({ address }) => address)
    expect(log).toContain('The disk of the runner is full')
    const done = Object.keys(await effects.counts()).map((step) => `terraform_data.step${step}`)
    const named = /In flight when [^:]*: ([^"]*)\. Check/.exec(log)?.[1] ?? ''
    expect(done.filter((address) => !kept.includes(address) && !named.includes(`${address} (create)`))).toEqual([])
    expect((await project.workspace()).attributes['locked']).toBe(false)
    await disk.free()
    const rest = await project.uploadAndRun(files, { 'auto-apply': true })
    await project.runIn(rest.id, 'applied')
    expect(await project.resources()).toHaveLength(STEPS)
    await expectNothingLeft([server])
  })

  it('of the server in an apply: nothing is lost, the run ends once there is room', async () => {
    const [disk, effects] = [await makeSmallDisk(48), await makeSideEffects()]
    const server = await serverOfTest({ dataDir: disk.path, args: ['--lease-seconds', '6'] })
    const project = await makeWorkspace(server, 'full')
    const files = { 'main.tf': effects.configuration({ steps: 4, gates: [1], lines: 50 }) }
    const { id } = await project.uploadAndRun(files, { 'auto-apply': true })
    await effects.begun(1)
    await disk.fill()
    await effects.open(1)
    await effects.begun(3)
    await waitFor(() => server.stderr().includes('the lease of an interrupted phase runs out'), {
      timeoutMs: 60_000,
      what: 'the server to notice',
    })
    expect((await server.api.raw('GET', `runs/${id}`)).status).toBe(200)
    await disk.free()
    const applied = await project.runIn(id, 'applied', 'errored')
    expect(applied.attributes['status'], await project.log(applied, 'apply')).toBe('applied')
    expect(await project.resources()).toHaveLength(4)
    expect(await effects.counts()).toEqual({ 0: 1, 1: 1, 2: 1, 3: 1 })
    await expectNothingLeft([server])
  })
})
