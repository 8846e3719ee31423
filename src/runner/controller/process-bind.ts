import { type Bootstrap, readySchema } from '../host/bootstrap.ts'
import { readLine } from '../host/read-line.ts'
import { RunnerError } from '../runner.ts'
import type { StartedWorker } from './process-spawn.ts'

const BIND_TIMEOUT_MS = 30_000
const ANSWER_LIMIT_BYTES = 1024

/** Hands `bootstrap` to a started worker on its stdin, which stays open; answers the port it listens on. Throws RunnerError `UNAVAILABLE`. */
export const bindWorker = async (worker: StartedWorker, bootstrap: Bootstrap): Promise<number> => {
  const over = new AbortController()
  try {
    worker.stdin.write(`${JSON.stringify(bootstrap)}\n`)
    const line = await Promise.race([readLine(worker.stdout, ANSWER_LIMIT_BYTES), ended(worker), timedOut(over.signal)])
    return line === undefined ? await ended(worker) : readySchema.parse(JSON.parse(line)).port
  } catch (error) {
    throw error instanceof RunnerError ? error : new RunnerError('UNAVAILABLE', 'the worker process did not become ready', { cause: error })
  } finally {
    over.abort()
    worker.stdout.destroy()
  }
}

const ended = async (worker: StartedWorker): Promise<never> => {
  const code = await worker.exited
  throw new RunnerError('UNAVAILABLE', `the worker process ended before it was ready (exit code ${code ?? 'none, by a signal'})`)
}

const timedOut = (over: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const timer = setTimeout(
      () => reject(new RunnerError('UNAVAILABLE', `the worker process was not ready after ${BIND_TIMEOUT_MS} ms`)),
      BIND_TIMEOUT_MS,
    )
    over.addEventListener('abort', () => clearTimeout(timer))
  })
