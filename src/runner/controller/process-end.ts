import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { RunnerError } from '../runner.ts'
import { startTicks } from '../worker/engine/start-ticks.ts'
import { runPaths } from '../worker/run-directory.ts'
import { isRunning, membersOfGroup, processesOfUser } from './process-table.ts'

const END_TIMEOUT_MS = 10_000

const engineSchema = z.object({ pid: z.int().min(2), startTicks: z.string().regex(/^\d+$/) })

/** Kills exactly this process and waits until it is gone; a later process with the same pid is left alone. */
export const endProcess = (pid: number, ticks: string): Promise<void> =>
  repeatUntilGone(`process ${pid}`, async () => {
    if (!isRunning(pid, ticks)) return true
    kill(pid)
    return false
  })

/** Kills what the engine of a run directory left behind: its whole process group, as recorded there. */
export const endEngine = async (runDirectory: string): Promise<void> => {
  const recorded = await readFile(runPaths(runDirectory).engineFile, 'utf8').catch(() => '')
  const engine = engineSchema.safeParse(parseJson(recorded)).data
  if (!engine) return
  const ticks = startTicks(engine.pid)
  // While a group has members its number is given to no new process: another process at that pid means that the group is gone.
  if (ticks !== undefined && ticks !== engine.startTicks) return
  await repeatUntilGone(`process group ${engine.pid}`, async () => {
    if ((await membersOfGroup(engine.pid)).length === 0) return true
    kill(-engine.pid)
    return false
  })
}

/** Kills every process of `uid`. Needs root. */
export const endProcessesOfUser = (uid: number): Promise<void> =>
  repeatUntilGone(`the processes of user ${uid}`, async () => {
    if ((await processesOfUser(uid)).length === 0) return true
    // One system call for all of them: something that forks faster than we can list does not get away.
    const killer = spawn('/bin/sh', ['-c', 'kill -KILL -1'], { uid, gid: uid, cwd: '/', env: {}, stdio: 'ignore' })
    await once(killer, 'close')
    return false
  })

const repeatUntilGone = async (what: string, isGone: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + END_TIMEOUT_MS
  while (!(await isGone())) {
    if (performance.now() > deadline) throw new RunnerError('INTERNAL', `${what} could not be ended within ${END_TIMEOUT_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
