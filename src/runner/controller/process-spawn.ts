import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Log } from '../../platform/log.ts'
import { RunnerError } from '../runner.ts'
import { startTicks } from '../worker/engine/start-ticks.ts'

/** A worker that is not bound to a phase yet. Ends by itself when `stdin` closes. */
export type StartedWorker = {
  pid: number
  startTicks: string
  stdin: Writable
  stdout: Readable
  /** Exit code, or null after a signal. */
  exited: Promise<number | null>
}

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Starts `entry` (command and arguments) in a session of its own, so that neither the terminal's Ctrl-C nor the end of the
 * controller reaches it. Its environment holds nothing of ours. Throws RunnerError `UNAVAILABLE`.
 */
export const spawnWorker = async (entry: readonly string[], log: Log): Promise<StartedWorker> => {
  const [command = '', ...args] = entry
  const child = spawn(command, args, {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? DEFAULT_PATH, LANG: 'C.UTF-8' },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null)
  exited.catch(() => undefined)
  await once(child, 'spawn').catch((error: unknown) => {
    throw new RunnerError('UNAVAILABLE', `the worker process could not be started (${command})`, { cause: error })
  })
  child.stdin.on('error', () => undefined)
  createInterface({ input: child.stderr }).on('line', (line) => log.info({ pid: child.pid, line }, 'worker says'))
  // An idle worker does not keep its controller running.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref()
  const { pid } = child
  const ticks = pid === undefined ? undefined : startTicks(pid)
  if (pid === undefined || ticks === undefined) throw new RunnerError('UNAVAILABLE', 'the worker process ended at once')
  return { pid, startTicks: ticks, stdin: child.stdin, stdout: child.stdout, exited }
}
