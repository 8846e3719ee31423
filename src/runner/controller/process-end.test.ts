import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDir } from '../../../test/harness/temp-dir.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'
import { startTicks } from '../worker/engine/start-ticks.ts'
import { runPaths } from '../worker/run-directory.ts'
import { endEngine, endProcess, endProcessesOfUser } from './process-end.ts'
import { isRunning, membersOfGroup, processesOfUser } from './process-table.ts'

const isRoot = process.getuid?.() === 0

/** A shell in its own group with a child that ignores SIGTERM. */
const startGroup = async (uid?: number): Promise<{ pid: number; ticks: string }> => {
  const child = spawn('/bin/sh', ['-c', `trap '' TERM; sleep 300 & sleep 301`], {
    detached: true,
    stdio: 'ignore',
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  const ticks = await waitFor(() => startTicks(pid))
  onTestFinished(() => {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The test has ended it, as it should.
    }
  })
  await waitFor(async () => (await membersOfGroup(pid)).length === 3)
  return { pid, ticks }
}

const record = async (root: string, engine: unknown): Promise<void> => {
  const { engineFile } = runPaths(root)
  await mkdir(dirname(engineFile), { recursive: true })
  await writeFile(engineFile, typeof engine === 'string' ? engine : JSON.stringify(engine))
}

describe('endProcess', () => {
  it('kills the process meant and comes back when it is gone; again is no error', async () => {
    const { pid, ticks } = await startGroup()
    await endProcess(pid, ticks)
    expect(isRunning(pid, ticks)).toBe(false)
    await endProcess(pid, ticks)
  })

  it('leaves a process alone that only has the same pid', async () => {
    const { pid, ticks } = await startGroup()
    await endProcess(pid, String(Number(ticks) - 1))
    expect(isRunning(pid, ticks)).toBe(true)
  })
})

describe('endEngine', () => {
  it('kills the whole recorded group', async () => {
    const root = await tempDir()
    const { pid, ticks } = await startGroup()
    await record(root, { pid, startTicks: ticks })
    await endEngine(root)
    expect(await membersOfGroup(pid)).toEqual([])
  })

  it('kills the children of an engine that has died itself', async () => {
    const root = await tempDir()
    const { pid, ticks } = await startGroup()
    await record(root, { pid, startTicks: ticks })
    await endProcess(pid, ticks)
    expect(await membersOfGroup(pid)).toHaveLength(2)
    await endEngine(root)
    expect(await membersOfGroup(pid)).toEqual([])
  })

  it.each([
    ['no record', undefined],
    ['half a record', '{"pid": 12'],
    ['a record of the group of init', { pid: 1, startTicks: '1' }],
    ['a negative pid', { pid: -5, startTicks: '1' }],
  ])('does nothing with %s', async (_what, engine) => {
    const root = await tempDir()
    if (engine !== undefined) await record(root, engine)
    await expect(endEngine(root)).resolves.toBeUndefined()
  })

  it('leaves another process at that pid alone', async () => {
    const root = await tempDir()
    const { pid, ticks } = await startGroup()
    await record(root, { pid, startTicks: '1' })
    await endEngine(root)
    expect(isRunning(pid, ticks)).toBe(true)
  })
})

describe.runIf(isRoot)('endProcessesOfUser', () => {
  it('kills all of a user, whatever their group, and nobody else', async () => {
    const uid = 61_901
    const [one, two, other] = [await startGroup(uid), await startGroup(uid), await startGroup(uid + 1)]
    expect(await processesOfUser(uid)).toHaveLength(6)
    await endProcessesOfUser(uid)
    expect(await processesOfUser(uid)).toEqual([])
    expect([one, two, other].map(({ pid, ticks }) => isRunning(pid, ticks))).toEqual([false, false, true])
  })
})
