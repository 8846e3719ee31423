import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { WorkerOptions } from '../options.ts'
import type { RunPaths } from '../run-directory.ts'
import { findSetpriv, setprivCommand } from './find-setpriv.ts'
import { killJob } from './kill-job.ts'
import { startTicks } from './start-ticks.ts'

/** After the end of the engine its pipes may be held open by something it started; that is waited for so long, then killed. */
const CLOSE_MS = 5000
const CLOSE_AFTER_KILL_MS = 500

export type EngineCommand = {
  path: string
  args: readonly string[]
  directory: string
  environment: Readonly<Record<string, string>>
  stdout: (bytes: Buffer) => Promise<void>
  stderr: (bytes: Buffer) => Promise<void>
}

export type EngineExit = { exitCode: number; signal: string }

export type Engine = {
  readonly running: boolean
  /** To be awaited before the first `run`. */
  readonly ready: Promise<void>
  /** One at a time. Rejects when the program cannot be started, or with what `stdout` or `stderr` threw. */
  run(command: EngineCommand): Promise<EngineExit>
  /** One SIGINT to the engine alone, never to its group; the second makes terraform drop its work. */
  interrupt(): void
  /** SIGKILL to the process group, then to whatever of the job is left. */
  kill(): void
}

/** Runs the engine as a child in a session and process group of its own, so that it can be signalled apart from what it starts. */
export const makeEngine = (paths: RunPaths, { isolation, setpriv }: Pick<WorkerOptions, 'isolation' | 'setpriv'>): Engine => {
  let prefix: string[] = []
  const find = async (): Promise<void> => {
    const path = setpriv === undefined ? await findSetpriv(isolation) : setpriv
    if (path !== null) prefix = setprivCommand(path, isolation)
  }
  const ready = find()
  let child: ChildProcess | undefined
  let killed = false

  const start = ({ path, args, directory, environment }: EngineCommand): ChildProcess => {
    const [program = path, ...rest] = [...prefix, path, ...args]
    const asUser = prefix.length === 0 && isolation !== undefined ? { uid: isolation.uid, gid: isolation.gid } : {}
    return spawn(program, rest, { cwd: directory, env: { ...environment }, detached: true, stdio: ['ignore', 'pipe', 'pipe'], ...asUser })
  }

  const killGroup = (): void => {
    if (child?.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group is gone.
    }
  }

  const run = async (command: EngineCommand): Promise<EngineExit> => {
    if (child !== undefined) throw new Error('the engine is already running')
    killed = false
    const started = start(command)
    child = started
    try {
      const exited = new Promise<EngineExit>((resolve, reject) => {
        started.once('error', reject)
        started.once('exit', (code, signal) => resolve({ exitCode: code ?? -1, signal: signal ?? '' }))
      })
      const pumps = Promise.all([pump(started.stdout, command.stdout), pump(started.stderr, command.stderr)])
      // Looked at below; until then a failure must not count as unhandled.
      pumps.catch(() => killGroup())
      if (started.pid !== undefined)
        writeFileSync(paths.engineFile, JSON.stringify({ pid: started.pid, startTicks: startTicks(started.pid) ?? '' }))
      const exit = await exited
      await settled(pumps, killed ? CLOSE_AFTER_KILL_MS : CLOSE_MS)
      killGroup()
      await killJob(isolation, paths.home, prefix.length === 0)
      await settled(pumps, CLOSE_AFTER_KILL_MS)
      started.stdout?.destroy()
      started.stderr?.destroy()
      await pumps
      return exit
    } catch (error) {
      killGroup()
      throw error
    } finally {
      child = undefined
      rmSync(paths.engineFile, { force: true })
    }
  }

  return {
    ready,
    get running() {
      return child !== undefined
    },
    run,
    interrupt() {
      child?.kill('SIGINT')
    },
    kill() {
      killed = true
      killGroup()
      void killJob(isolation, paths.home, prefix.length === 0)
    },
  }
}

const pump = async (from: Readable | null, to: (bytes: Buffer) => Promise<void>): Promise<void> => {
  if (from === null) return
  const ended = new Promise<'ended'>((resolve) => from.once('close', () => resolve('ended')))
  const iterator = (from as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  for (;;) {
    // A destroyed stream makes the iterator reject; that is our own doing and no failure.
    const next = await iterator.next().catch(() => ended)
    if (next === 'ended' || next.done === true) return
    await to(next.value)
  }
}

/** Waits for the pumps, but no longer than so. */
const settled = async (work: Promise<unknown>, timeoutMs: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
}
