import { expect, it } from 'vitest'
import { makeSideEffects } from '../harness/side-effects.ts'
import { serverOfTest } from '../harness/terrane-server.ts'
import { expectNothingLeft } from './expect-nothing-left.ts'
import { makeWorkspace } from './make-workspace.ts'

const CLIENTS = 200
const REQUESTS = 10
/** What clients and proxies wait at most. */
const SLOWEST_MS = 60_000

it(`${CLIENTS} clients at once during an apply are all answered, and the apply is not disturbed`, async () => {
  const [server, effects] = [await serverOfTest(), await makeSideEffects()]
  const project = await makeWorkspace(server, 'busy')
  const files = { 'main.tf': effects.configuration({ steps: 3, gates: [1], lines: 200 }) }
  const { id } = await project.uploadAndRun(files, { 'auto-apply': true })
  await effects.begun(1)
  const { id: workspaceId } = await project.workspace()
  const paths = [
    `runs/${id}?include=plan,apply`,
    `workspaces/${workspaceId}`,
    `workspaces/${workspaceId}/runs`,
    'organizations/e2e/workspaces?search[name]=b',
    'organizations/e2e',
    'account/details',
  ]
  const times: number[] = []
  const client = async (number: number): Promise<void> => {
    for (let request = 0; request < REQUESTS; request++) {
      const before = performance.now()
      const { status } = await server.api.raw('GET', paths[(number + request) % paths.length] ?? '')
      times.push(performance.now() - before)
      expect(status).toBe(200)
    }
  }
  const before = performance.now()
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  const seconds = (performance.now() - before) / 1000
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  console.log(
    `${times.length} requests of ${CLIENTS} clients in ${seconds.toFixed(1)} s; median ${at(0.5)} ms, 99 % ${at(0.99)} ms, slowest ${at(1)} ms`,
  )
  expect(at(1)).toBeLessThan(SLOWEST_MS)
  await effects.open(1)
  const applied = await project.runIn(id, 'applied', 'errored')
  expect(applied.attributes['status']).toBe('applied')
  expect(server.stderr()).not.toMatch(/"level":"error"/)
  await expectNothingLeft([server])
})
