import { describe, expect, it, onTestFinished } from 'vitest'
import { captureLog } from '../../../test/harness/captured-log.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'
import { silentLog } from '../../platform/log.ts'
import { endProcess } from './process-end.ts'
import { type StartedWorker, spawnWorker } from './process-spawn.ts'
import { isRunning } from './process-table.ts'
import { makeWorkerPool } from './worker-pool.ts'

const entry = [process.execPath, '-e', 'console.error(process.ppid); process.stdin.on("end", () => process.exit(0)).resume()']

const end = ({ pid, startTicks }: StartedWorker) => endProcess(pid, startTicks)

const makePool = (options: { size?: number; idleMs?: number } = {}) => {
  const { log, text } = captureLog()
  const pool = makeWorkerPool({ start: () => spawnWorker(entry, log), end, log, ...options })
  onTestFinished(() => pool.close())
  /** Workers that have come up so far: each says a line. */
  const started = (): number[] => [...text().matchAll(/"pid":(\d+),"line"/g)].map((match) => Number(match[1]))
  return { pool, started }
}

const take = async (pool: ReturnType<typeof makeWorkerPool<StartedWorker>>): Promise<StartedWorker> => {
  const worker = await pool.take()
  onTestFinished(() => endProcess(worker.pid, worker.startTicks))
  return worker
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the pool of workers', () => {
  it('starts nothing ahead before the first warm, but gives a worker', async () => {
    const { pool, started } = makePool()
    const worker = await take(pool)
    await waitFor(() => started().length === 1)
    expect(started()).toEqual([worker.pid])
  })

  it('keeps as many as asked for, and refills when what was taken has ended or works for long', async () => {
    const { pool, started } = makePool({ size: 2 })
    pool.warm()
    pool.warm()
    await waitFor(() => started().length === 2)
    const worker = await take(pool)
    expect(started()).toContain(worker.pid)
    expect(started()).toHaveLength(2)
    await endProcess(worker.pid, worker.startTicks)
    await waitFor(() => started().length === 3)
    await take(pool)
    // The one that was taken works on: the pool does not wait for it for ever.
    await waitFor(() => started().length === 4)
  })

  it('starts none beside a run that works, for its apply neither', async () => {
    let starts = 0
    const start = (): Promise<StartedWorker> => {
      starts += 1
      return spawnWorker(entry, silentLog)
    }
    const pool = makeWorkerPool({ start, end, log: silentLog, size: 2 })
    onTestFinished(() => pool.close())
    pool.warm()
    expect(starts).toBe(2)
    const worker = await take(pool)
    pool.warm()
    expect(starts).toBe(2)
    await endProcess(worker.pid, worker.startTicks)
    await waitFor(() => starts === 3)
  })

  it('never gives the same worker twice nor a dead one', async () => {
    const { pool, started } = makePool({ size: 2 })
    pool.warm()
    await waitFor(() => started().length === 2)
    const [dead = 0] = started()
    process.kill(dead, 'SIGKILL')
    await waitFor(() => !isAlive(dead))
    const [one, two] = [await take(pool), await take(pool)]
    expect(new Set([dead, one.pid, two.pid]).size).toBe(3)
    expect(isRunning(one.pid, one.startTicks) && isRunning(two.pid, two.startTicks)).toBe(true)
  })

  it('ends its workers when nobody asks for a while, and fills again when warmed', async () => {
    const { pool, started } = makePool({ size: 1, idleMs: 300 })
    pool.warm()
    await waitFor(() => started().length === 1)
    const [first = 0] = started()
    await waitFor(() => !isAlive(first))
    expect(started()).toHaveLength(1)
    pool.warm()
    await waitFor(() => started().length === 2)
  })

  it('ends its workers on close, but not those that were taken', async () => {
    const { pool, started } = makePool({ size: 2 })
    pool.warm()
    await waitFor(() => started().length === 2)
    const worker = await take(pool)
    await pool.close()
    // A process that was killed is there until its parent has taken note of it.
    await waitFor(() => started().filter(isAlive).join() === String(worker.pid), { what: 'one worker to be left' })
  })

  it('says which command cannot be started', async () => {
    const pool = makeWorkerPool({ start: () => spawnWorker(['/no/such/terrane-runner'], silentLog), end, log: silentLog })
    await expect(pool.take()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('/no/such/terrane-runner') })
  })
})
