import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { newUuid } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { CancelMode } from '../gen/runner/v1/runner.ts'
import { runnerUri } from '../pki/spiffe.ts'
import { type Runner, RunnerError } from '../runner.ts'
import { startTicks } from '../worker/engine/start-ticks.ts'
import { removeRunDirectory } from '../worker/files/remove-run-directory.ts'
import { makeWorker } from '../worker/worker.ts'
import { listRunDirectories } from './list-run-directories.ts'
import { makeLocalJobs } from './local-jobs.ts'
import type { Placement, RunnerRef } from './placement.ts'
import { greet } from './process-greet.ts'
import { type UidRange, claimUid } from './process-uid.ts'

export type InProcessPlacementOptions = {
  installationId: string
  controllerId: string
  workRoot: string
  isolation: UidRange | undefined
  log: Log
  clock: Clock
  orphanGraceMs?: number
}

const END_TIMEOUT_MS = 10_000

/** Runners inside this process: no socket, no certificates, and they end with it. Engines are processes as ever. */
export const makeInProcessPlacement = (options: InProcessPlacementOptions): Placement => {
  const { installationId, controllerId, workRoot, isolation, log, clock, orphanGraceMs } = options
  const jobs = makeLocalJobs(isolation?.claimsDirectory)
  const live = new Map<string, Runner>()

  return {
    start: async (identity, signal, bind) => {
      const instanceId = newUuid()
      const ref: RunnerRef = {
        placement: 'in-process',
        address: '',
        pid: process.pid,
        startTicks: startTicks(process.pid) ?? '',
        uri: runnerUri(installationId, identity, instanceId),
        instanceId,
        runDirectory: join(workRoot, identity.runId),
      }
      await mkdir(workRoot, { recursive: true, mode: isolation ? 0o711 : 0o700 })
      await removeRunDirectory(ref.runDirectory)
      signal.throwIfAborted()
      if (isolation) ref.uid = await claimUid(isolation, ref)
      const runner = makeWorker({
        workRoot,
        instanceId,
        installationId,
        isolation: ref.uid === undefined ? undefined : { uid: ref.uid, gid: ref.uid },
        log,
        clock,
        orphanGraceMs,
        onShutdown: () => live.delete(instanceId),
        onOrphaned: () => live.delete(instanceId),
      })
      live.set(instanceId, runner)
      await greet(runner, { installationId, controllerId, instanceId, clock })
      await bind(runner)
      return { runner, ref, close: () => undefined }
    },
    reattach: async (ref, identity, signal) => {
      signal.throwIfAborted()
      if (ref.uri !== runnerUri(installationId, identity, ref.instanceId)) {
        throw new RunnerError('PEER_IDENTITY', `the stored runner belongs to another phase than ${identity.phase} of ${identity.runId}`)
      }
      const runner = live.get(ref.instanceId)
      if (!runner) throw new RunnerError('UNAVAILABLE', 'the runner ended with the process that it was part of')
      return { runner, ref, close: () => undefined }
    },
    rebind: async ({ runner, ref, close }, identity, { lease, next, deadline, access }) => {
      await runner.rebind({ lease, next, deadlineUnixMs: deadline.getTime(), certificatePem: '', privateKeyPem: '', ...access })
      return { runner, ref: { ...ref, uri: runnerUri(installationId, identity, ref.instanceId) }, close }
    },
    expectRebind: () => undefined,
    destroy: async (ref) => {
      const runner = live.get(ref.instanceId)
      if (runner) await endSteps(runner)
      await jobs.endLeftovers(ref)
      live.delete(ref.instanceId)
    },
    recoverState: (ref) => jobs.recoverState(ref),
    leftEvents: (ref) => jobs.leftEvents(ref),
    discard: (ref) => jobs.discard(ref),
    runDirectories: () => listRunDirectories(workRoot),
    warm: () => undefined,
    close: async () => undefined,
  }
}

/** What SIGKILL is to a process: the engine is killed, its steps end, the directory stays. */
const endSteps = async (runner: Runner): Promise<void> => {
  const { lease } = await runner.status({ lease: undefined })
  if (!lease) return
  await runner.cancel({ lease, mode: CancelMode.KILL })
  const deadline = performance.now() + END_TIMEOUT_MS
  const isRunning = async () => (await runner.status({ lease: undefined })).operations.some((operation) => !operation.done)
  while ((await isRunning()) && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
  await runner.shutdown({ lease, cleanup: false })
}
