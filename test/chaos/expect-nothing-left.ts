import { readdir } from 'node:fs/promises'
import { expect } from 'vitest'
import { listProcesses } from '../harness/processes.ts'
import type { TestServer } from '../harness/terrane-server.ts'
import { waitFor } from '../harness/wait-for.ts'

/**
 * All runs of these servers, which share their directories, have ended: the directories go, with every process in them. The servers are stopped
 * then, and no worker stays behind. No other server may be running, as all share one bundle.
 */
export const expectNothingLeft = async (
  servers: readonly [TestServer, ...TestServer[]],
  { timeoutMs = 10_000 }: { timeoutMs?: number } = {},
): Promise<void> => {
  const { workDir } = servers[0]
  const directories = () => readdir(workDir).catch(() => [])
  await waitFor(async () => (await directories()).length === 0, { timeoutMs, everyMs: 100 }).catch(() => undefined)
  expect(await directories()).toEqual([])
  for (const server of servers) expect(await server.kill('SIGTERM')).toBe(0)
  const left = async () =>
    (await listProcesses()).filter(
      ({ command, cwd }) => command.includes(`${process.env['TERRANE_TEST_DIST']}/terrane-runner`) || cwd.startsWith(workDir),
    )
  await waitFor(async () => (await left()).length === 0, { timeoutMs, everyMs: 100 }).catch(() => undefined)
  expect(await left()).toEqual([])
}
