import { describe, expect, it } from 'vitest'
import type { Project } from '../harness/project.ts'
import { makeSideEffects, type SideEffects } from '../harness/side-effects.ts'
import { serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { isWhole } from './is-whole.ts'
import { makeWorkspace } from './make-workspace.ts'

type Scene = { project: Project; effects: SideEffects; id: string }

describe('runs in as many workspaces', { timeout: 600_000 }, () => {
  it.each(isWhole ? [[20], [50]] : [[20]])('%i at once are all applied, each once', async (count) => {
    const server = await serverOfTest()
    const scenes: Scene[] = []
    for (let index = 0; index < count; index++) {
      const [project, effects] = [await makeWorkspace(server, `w${index}`), await makeSideEffects()]
      scenes.push({ project, effects, id: '' })
    }
    const before = performance.now()
    await Promise.all(
      scenes.map(async (scene) => {
        const configuration = scene.effects.configuration({ steps: 2, gates: [], lines: 5 })
        scene.id = (await scene.project.uploadAndRun({ 'main.tf': configuration }, { 'auto-apply': true })).id
      }),
    )
    const statuses = () => Promise.all(scenes.map(async ({ project, id }) => String((await project.run(id)).attributes['status'])))
    const isOver = (status: string): boolean => status === 'applied' || status === 'errored' || status === 'canceled'
    await waitFor(async () => (await statuses()).every(isOver), { timeoutMs: 500_000, everyMs: 1000, what: `the end of ${count} runs` })
    console.log(`${count} runs in ${Math.round(performance.now() - before)} ms`)
    expect(await statuses()).toEqual(scenes.map(() => 'applied'))
    for (const { effects, project } of scenes) {
      expect(await effects.counts()).toEqual({ 0: 1, 1: 1 })
      expect((await project.workspace()).attributes['locked']).toBe(false)
    }
    expect(server.stderr()).not.toMatch(/"level":"error"/)
    await expectNothingLeft([server])
  })
})

const ONE = isWhole ? 50 : 10

describe('runs in one workspace', () => {
  it(`${ONE} at once are applied one after the other, in the order in which they came`, { timeout: ONE * 60_000 }, async () => {
    const [server, effects] = [await serverOfTest(), await makeSideEffects()]
    const project = await makeWorkspace(server, 'one')
    const before = performance.now()
    const ids: string[] = []
    for (let index = 0; index < ONE; index++) {
      const main = effects.configuration({ steps: 1, gates: [] }).replace('input      = 0', `triggers_replace = ${index}`)
      ids.push((await project.uploadAndRun({ 'main.tf': main }, { 'auto-apply': true })).id)
    }
    for (const id of ids) expect((await project.runIn(id, 'applied', 'errored', 'canceled')).attributes['status']).toBe('applied')
    console.log(`${ONE} runs of one workspace in ${Math.round(performance.now() - before)} ms`)
    expect(await effects.counts()).toEqual({ 0: ONE })
    const appliedAt = async (id: string) => (await project.run(id)).attributes['status-timestamps'] as Record<string, string>
    const times = await Promise.all(ids.map(appliedAt))
    const begins = times.map((stamps) => String(stamps['applying-at']))
    expect(begins).toEqual(begins.toSorted())
    expect((await project.workspace()).attributes['locked']).toBe(false)
    expect(server.stderr()).not.toMatch(/"level":"error"/)
    await expectNothingLeft([server])
  })
})
