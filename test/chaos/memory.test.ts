import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import type { Project } from '../harness/project.ts'
import { serverOfTest, type TestServer } from '../harness/terrane-server.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { isWhole } from './is-whole.ts'
import { makeWorkspace } from './make-workspace.ts'

const WORKSPACES = 4
const ROUNDS = isWhole ? 75 : 15
const WARM_UP_ROUNDS = isWhole ? 25 : 5
const MIB = 1024 * 1024
const GROWTH_BYTES = 60 * MIB

const memoryOf = async (server: TestServer): Promise<number> =>
  1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${server.pid()}/status`, 'latin1'))?.[1])

const openFiles = async (server: TestServer): Promise<number> => (await readdir(`/proc/${server.pid()}/fd`)).length

it(`${WORKSPACES * ROUNDS} runs: the server's memory and its open files do not grow with them`, { timeout: ROUNDS * 60_000 }, async () => {
  const server = await serverOfTest()
  const projects: Project[] = []
  for (let index = 0; index < WORKSPACES; index++) projects.push(await makeWorkspace(server, `w${index}`))
  const seen: { memory: number; files: number }[] = []
  const before = performance.now()
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(
      projects.map(async (project) => {
        const main = `resource "terraform_data" "a" {\n  input = ${round}\n}\n`
        const { id } = await project.uploadAndRun({ 'main.tf': main }, { 'auto-apply': true })
        const ended = await project.runIn(id, 'applied', 'errored')
        expect(ended.attributes['status']).toBe('applied')
        await project.log(ended, 'plan')
        await project.log(ended, 'apply')
      }),
    )
    seen.push({ memory: await memoryOf(server), files: await openFiles(server) })
  }
  const lowest = (of: typeof seen, what: 'memory' | 'files'): number => Math.min(...of.map((each) => each[what]))
  const [early, late] = [seen.slice(WARM_UP_ROUNDS, WARM_UP_ROUNDS + 5), seen.slice(-5)]
  const [from, to] = [lowest(early, 'memory'), lowest(late, 'memory')]
  console.log(
    `${WORKSPACES * ROUNDS} runs in ${Math.round((performance.now() - before) / 1000)} s; memory of the server from ${Math.round(from / MIB)} to ` +
      `${Math.round(to / MIB)} MiB (${seen.map(({ memory }) => Math.round(memory / MIB)).join(' ')}), open files from ${lowest(early, 'files')} to ${lowest(late, 'files')}`,
  )
  expect(to - from).toBeLessThan(GROWTH_BYTES)
  expect(lowest(late, 'files')).toBeLessThanOrEqual(lowest(early, 'files') + 5)
  await expectNothingLeft([server])
})
