import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../../../test/harness/wait-for.ts'
import { ErrorCode, StepOutcome } from '../../gen/runner/v1/runner.ts'
import { createRunDirectory } from '../files/create-run-directory.ts'
import { type RunPaths, runPaths } from '../run-directory.ts'
import { conclude } from './conclude.ts'
import { type EngineExit, makeEngine } from './make-engine.ts'
import { makeStop } from './make-stop.ts'
import { observeLine, type Observation } from './observe-output.ts'
import { readLines } from './read-lines.ts'
import { startTicks } from './start-ticks.ts'

let root: string
let paths: RunPaths
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'engine-'))
  paths = runPaths(join(root, 'run'))
  await createRunDirectory(paths, undefined)
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

const shell = (engine: ReturnType<typeof makeEngine>, script: string, stdout?: (bytes: Buffer) => Promise<void>) => {
  const chunks: Buffer[] = []
  const keep = async (bytes: Buffer): Promise<void> => void chunks.push(bytes)
  const exit = engine.run({
    path: '/bin/sh',
    args: ['-c', script],
    directory: paths.work,
    environment: { PATH: process.env['PATH'] ?? '', HOME: paths.home },
    stdout: stdout ?? keep,
    stderr: keep,
  })
  return { exit, text: () => Buffer.concat(chunks).toString() }
}

const timed = async (work: Promise<EngineExit>): Promise<EngineExit & { ms: number }> => {
  const startedAt = performance.now()
  return { ...(await work), ms: performance.now() - startedAt }
}

describe('the engine process', () => {
  it('is not held open by a daemon that keeps its output, and the daemon is killed', async () => {
    const run = shell(makeEngine(paths, { isolation: undefined }), 'setsid sleep 300 & echo $!; exit 3')
    const { exitCode, ms } = await timed(run.exit)
    expect(exitCode).toBe(3)
    expect(ms).toBeLessThan(7000)
    await waitFor(() => startTicks(Number(run.text())) === undefined)
  })

  it('is gone within 2 s of a kill, daemons included', async () => {
    const engine = makeEngine(paths, { isolation: undefined })
    const run = shell(engine, "trap '' INT TERM; setsid sleep 300 & echo $!; sleep 300")
    await waitFor(() => run.text().includes('\n'))
    engine.kill()
    const { signal, ms } = await timed(run.exit)
    expect(signal).toBe('SIGKILL')
    expect(ms).toBeLessThan(2000)
    await waitFor(() => startTicks(Number(run.text())) === undefined)
  })

  it('is written down while it runs', async () => {
    const engine = makeEngine(paths, { isolation: undefined })
    const run = shell(engine, 'sleep 300')
    const { pid, startTicks: ticks } = await waitFor(
      async () => JSON.parse(await readFile(paths.engineFile, 'utf8')) as { pid: number; startTicks: string },
    )
    expect(startTicks(pid)).toBe(ticks)
    engine.kill()
    await run.exit
    await expect(readFile(paths.engineFile)).rejects.toThrow('ENOENT')
    expect(engine.running).toBe(false)
  })

  it('ends when what it writes cannot be kept', async () => {
    const broken = async (): Promise<void> => {
      throw new Error('disk is full')
    }
    await expect(shell(makeEngine(paths, { isolation: undefined }), 'echo x; sleep 300', broken).exit).rejects.toThrow('disk is full')
  })

  it('that cannot be started is an error', async () => {
    const engine = makeEngine(paths, { isolation: undefined })
    const run = engine.run({
      path: '/nowhere',
      args: [],
      directory: '/nowhere',
      environment: {},
      stdout: async () => undefined,
      stderr: async () => undefined,
    })
    await expect(run).rejects.toThrow('ENOENT')
    expect(engine.running).toBe(false)
  })
})

describe('stopping', () => {
  it('sends one interrupt, then a kill after the grace, and remembers the first reason', async () => {
    const calls: string[] = []
    const stop = makeStop({ running: true, interrupt: () => calls.push('interrupt'), kill: () => calls.push('kill') }, () => 20)
    expect(stop.interrupt('canceled')).toBe(true)
    expect(stop.interrupt('timed-out')).toBe(true)
    expect(calls).toEqual(['interrupt'])
    expect(stop.reason).toBe('canceled')
    await waitFor(() => calls.includes('kill'))
    stop.kill()
    expect(stop.reason).toBe('killed')
  })
})

describe('the end of a command', () => {
  it.each([
    [{ exitCode: 1, signal: '' }, undefined, StepOutcome.FAILED, ErrorCode.PLAN_FAILED, 'terraform ended with exit code 1; see the log.'],
    [{ exitCode: -1, signal: 'SIGKILL' }, undefined, StepOutcome.FAILED, ErrorCode.OOM, 'terraform was killed (out of memory?)'],
    [
      { exitCode: -1, signal: 'SIGSEGV' },
      undefined,
      StepOutcome.FAILED,
      ErrorCode.PLAN_FAILED,
      'terraform ended with signal SIGSEGV; see the log.',
    ],
    [{ exitCode: 1, signal: '' }, 'canceled' as const, StepOutcome.CANCELED, ErrorCode.CANCELED, 'The step was canceled.'],
    [
      { exitCode: -1, signal: 'SIGKILL' },
      'killed' as const,
      StepOutcome.CANCELED,
      ErrorCode.FORCE_CANCELED,
      'The step was canceled by force.',
    ],
    [{ exitCode: 1, signal: '' }, 'timed-out' as const, StepOutcome.TIMED_OUT, ErrorCode.DEADLINE, 'The time for this phase is over.'],
    [
      { exitCode: 1, signal: '' },
      'disk-full' as const,
      StepOutcome.FAILED,
      ErrorCode.DISK_FULL,
      'The disk of the runner is full, so the step was stopped.',
    ],
  ])('%j with stop %s', (exit, reason, outcome, code, message) => {
    expect(conclude(exit, reason, ErrorCode.PLAN_FAILED, [])).toMatchObject({ ...exit, outcome, errors: [{ code, message }] })
  })

  it('gives each error of the engine', () => {
    expect(
      conclude({ exitCode: 1, signal: '' }, undefined, ErrorCode.APPLY_FAILED, ['a', 'b']).errors?.map(({ message }) => message),
    ).toEqual(['a', 'b'])
  })
})

describe('lines of output', () => {
  it('are put together from any pieces, without those that are too long', () => {
    const lines: string[] = []
    const reader = readLines((line) => lines.push(line))
    for (const piece of ['a', 'b\nc', '\n\nd', 'é'.slice(0, 1)]) reader.write(Buffer.from(piece))
    reader.write(Buffer.alloc(5 * 1024 * 1024, 'x'))
    reader.write(Buffer.from('\nlast'))
    reader.end()
    expect(lines).toEqual(['ab', 'c', 'last'])
  })

  it('tell the summary and the errors, in text and in JSON', () => {
    const observe = (...lines: string[]): Observation => {
      const observation: Observation = { summary: undefined, errors: [] }
      for (const line of lines) observeLine(line, observation)
      return observation
    }
    expect(observe('Plan: 1 to import, 2 to add, 3 to change, 4 to destroy.').summary).toEqual({ add: 2, change: 3, remove: 4, import: 1 })
    expect(observe('Apply complete! Resources: 1 imported, 2 added, 3 changed, 4 destroyed.').summary).toEqual({
      add: 2,
      change: 3,
      remove: 4,
      import: 1,
    })
    expect(observe('{"type":"change_summary","changes":{"add":2,"change":3,"import":1,"remove":4,"operation":"plan"}}').summary).toEqual({
      add: 2,
      change: 3,
      remove: 4,
      import: 1,
    })
    expect(
      observe(
        'Error: one',
        'x Error: no',
        '{"type":"diagnostic","diagnostic":{"severity":"error","summary":"two","detail":"why"}}',
        '{"type":"diagnostic","diagnostic":{"severity":"warning","summary":"three"}}',
        '{broken',
      ).errors,
    ).toEqual(['one', 'two: why'])
    // As terraform 1.11 colours them.
    const coloured = observe(
      '\u001b[1mPlan:\u001b[0m 2 to add, 3 to change, 4 to destroy.',
      '\u001b[31m│\u001b[0m \u001b[0m\u001b[1m\u001b[31mError: \u001b[0m\u001b[0m\u001b[1mone\u001b[0m',
    )
    expect(coloured).toMatchObject({ summary: { add: 2, change: 3, remove: 4 }, errors: ['one'] })
  })
})
