import { describe, expect, it } from 'vitest'
import type { Project } from '../harness/project.ts'
import { makeSideEffects, type SideEffects } from '../harness/side-effects.ts'
import { serverOfTest } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { makeWorkspace } from './make-workspace.ts'

type Scene = { project: Project; effects: SideEffects; id: string }

describe('runs in as many workspaces', () => {
  it.each([[20], [50]])('%i at once are all applied, each once', async (count) => {
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
    await waitFor(async () => (await statuses()).every(isOver), { timeoutMs: 150_000, everyMs: 1000, what: `the end of ${count} runs` })
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
