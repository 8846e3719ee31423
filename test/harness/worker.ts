import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/platform/clock.ts'
import { silentLog } from '../../src/platform/log.ts'
import { BlobKind, Phase, type PrepareRequest } from '../../src/runner/gen/runner/v1/runner.ts'
import type { Runner } from '../../src/runner/runner.ts'
import { removeRunDirectory } from '../../src/runner/worker/files/remove-run-directory.ts'
import type { WorkerOptions } from '../../src/runner/worker/options.ts'
import { type RunPaths, runPaths } from '../../src/runner/worker/run-directory.ts'
import { makeWorker } from '../../src/runner/worker/worker.ts'
import { type Driver, endRunner, expectSucceeded, INSTALLATION, leaseOf, makeDriver, slugOf } from '../contract/runner-driver.ts'

export type PhaseOptions = {
  worker?: Partial<WorkerOptions>
  prepare?: Partial<PrepareRequest>
  run?: string
}

export type OpenPhase = { runner: Runner; driver: Driver; paths: RunPaths }

export type Workbench = {
  workRoot: string
  /** A worker with a lease; `slug` may be files or an archive. */
  open(phase: Phase, slug: Record<string, string> | Buffer | undefined, options?: PhaseOptions): Promise<OpenPhase>
  /** The same, prepared and initialised for a plan. */
  readyToPlan(slug: Record<string, string> | Buffer, options?: PhaseOptions): Promise<OpenPhase>
  /** Plans in one worker and leaves another one initialised for the apply; `state` is the current state. */
  readyToApply(files: Record<string, string>, options?: PhaseOptions & { state?: Buffer }): Promise<OpenPhase>
  close(): Promise<void>
}

/** Real workers in a directory of their own. */
export const makeWorkbench = async (): Promise<Workbench> => {
  const workRoot = await mkdtemp(join(tmpdir(), 'worker-'))
  // With isolation another user passes through it.
  await chmod(workRoot, 0o711)
  const opened: Runner[] = []

  const open: Workbench['open'] = async (phase, slug, { worker = {}, run = `run-${randomUUID().slice(0, 8)}` } = {}) => {
    const runner = makeWorker({
      workRoot,
      instanceId: randomUUID(),
      installationId: INSTALLATION,
      isolation: undefined,
      log: silentLog,
      clock: systemClock,
      ...worker,
    })
    opened.push(runner)
    const driver = makeDriver(runner, leaseOf(run, phase))
    await driver.begin()
    if (slug !== undefined) await driver.upload(BlobKind.SLUG, Buffer.isBuffer(slug) ? slug : slugOf(slug))
    return { runner, driver, paths: runPaths(join(workRoot, run)) }
  }

  const readyToPlan: Workbench['readyToPlan'] = async (slug, options = {}) => {
    const phase = await open(Phase.PLAN, slug, options)
    expectSucceeded(await phase.driver.prepare(options.prepare))
    expectSucceeded(await phase.driver.init())
    return phase
  }

  return {
    workRoot,
    open,
    readyToPlan,
    async readyToApply(files, options = {}) {
      const run = options.run ?? `run-${randomUUID().slice(0, 8)}`
      const planning = await open(Phase.PLAN, files, { ...options, run })
      if (options.state !== undefined) await planning.driver.upload(BlobKind.STATE, options.state)
      expectSucceeded(await planning.driver.prepare(options.prepare))
      expectSucceeded(await planning.driver.init())
      expectSucceeded(await planning.driver.plan())
      const plan = await planning.driver.download(BlobKind.PLAN)
      const snapshot = await planning.driver.download(BlobKind.SNAPSHOT)
      await planning.driver.shutdown()
      const applying = await open(Phase.APPLY, undefined, { ...options, run })
      await applying.driver.upload(BlobKind.SNAPSHOT, snapshot)
      await applying.driver.upload(BlobKind.PLAN, plan)
      if (options.state !== undefined) await applying.driver.upload(BlobKind.STATE, options.state)
      expectSucceeded(await applying.driver.prepare(options.prepare))
      expectSucceeded(await applying.driver.init())
      return applying
    },
    async close() {
      for (const runner of opened) await endRunner(runner)
      await removeRunDirectory(workRoot)
    },
  }
}
