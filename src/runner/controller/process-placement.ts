import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { abortable } from '../../platform/abortable.ts'
import type { Clock } from '../../platform/clock.ts'
import { errorMessage } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import type { PhaseIdentity } from '../phase-identity.ts'
import type { CaBundle } from '../pki/ca.ts'
import { issueLeaf } from '../pki/issue.ts'
import type { Leaf } from '../pki/sign-leaf.ts'
import { controllerUri, runnerUri } from '../pki/spiffe.ts'
import { RunnerError } from '../runner.ts'
import { connectRunner } from '../transport/grpc-client.ts'
import { findSetpriv } from '../worker/engine/find-setpriv.ts'
import { removeRunDirectory } from '../worker/files/remove-run-directory.ts'
import { listRunDirectories } from './list-run-directories.ts'
import { makeLocalJobs } from './local-jobs.ts'
import { makeControllerLeaf } from './make-controller-leaf.ts'
import { makeRehearsal } from './make-rehearsal.ts'
import { makeRunnerLeaves } from './make-runner-leaves.ts'
import type { Bind, ConnectedRunner, Placement, RunnerRef } from './placement.ts'
import { endProcess } from './process-end.ts'
import { greet } from './process-greet.ts'
import { isRunning } from './process-table.ts'
import { type UidRange, renewUidClaim } from './process-uid.ts'
import { endWaitingWorker, type ReadyWorker, startWorker } from './start-worker.ts'
import { makeWorkerPool } from './worker-pool.ts'

export type ProcessPlacementOptions = {
  /** The authority that signs now, or the one with this fingerprint, if there is one, and everything trusted with it. */
  ca: (fingerprint?: string) => Promise<CaBundle>
  installationId: string
  controllerId: string
  /** Holds the run directories; made when missing. With `isolation` the engines' users must be able to pass through its parents. */
  workRoot: string
  /** Users for the engines; undefined: engines run as this process does. */
  isolation: UidRange | undefined
  /** Command and arguments that start bin/terrane-runner. */
  runnerEntry: readonly string[]
  log: Log
  clock: Clock
  orphanGraceMs?: number
  /** Of the longest phase; 24 hours when absent. */
  phaseMs?: number
  pool?: { size?: number; idleMs?: number }
}

const HOUR_MS = 3_600_000

/** A worker that waited may have died meanwhile. */
const START_TRIES = 3

/** Runners that are processes of this machine, reached on loopback over mutual TLS. */
export const makeProcessPlacement = (options: ProcessPlacementOptions): Placement => {
  const { ca, installationId, controllerId, workRoot, isolation, log, clock } = options
  // A certificate does not end before the phase that it serves.
  const lifetimeMs = (options.phaseMs ?? 24 * HOUR_MS) + HOUR_MS
  const controllerLeaf = makeControllerLeaf({ uri: controllerUri(installationId, controllerId), lifetimeMs, clock })
  const issue = async (uri: string, authority: string | undefined): Promise<Leaf> =>
    issueLeaf((await ca(authority)).ca, { uri, usage: 'server', lifetimeMs })
  const leaves = makeRunnerLeaves(issue)
  const jobs = makeLocalJobs(isolation?.claimsDirectory)
  let setpriv: Promise<string | null> | undefined
  // Any user of the range answers for all of them.
  const findSetprivOnce = (): Promise<string | null> =>
    (setpriv ??= findSetpriv(isolation && { uid: isolation.firstUid, gid: isolation.firstUid }))

  const connect = async (ref: RunnerRef): Promise<ConnectedRunner> => {
    const bundle = await ca(ref.authority)
    const { certificatePem, privateKeyPem, notAfter } = await controllerLeaf(bundle.ca)
    const identity = { certificatePem, privateKeyPem, trustPem: bundle.trustPem }
    const connection = connectRunner({ address: ref.address, expectedUri: ref.uri, identity, log })
    try {
      await greet(connection.runner, { installationId, controllerId, instanceId: ref.instanceId, clock })
    } catch (error) {
      connection.close()
      throw error
    }
    return { ...connection, ref, until: notAfter }
  }

  const pool = makeWorkerPool({
    start: () =>
      startWorker({
        entry: options.runnerEntry,
        ca,
        issue,
        connect,
        installationId,
        workRoot,
        isolation,
        setpriv: findSetprivOnce,
        orphanGraceMs: options.orphanGraceMs,
        log,
      }),
    end: endWaitingWorker,
    rehearsal: () => makeRehearsal(clock),
    log,
    ...options.pool,
  })

  const destroy = async (ref: RunnerRef): Promise<void> => {
    await endProcess(ref.pid, ref.startTicks)
    await jobs.endLeftovers(ref)
  }

  /** A worker of the pool; one that comes too late for the caller is ended. */
  const take = async (signal: AbortSignal): Promise<ReadyWorker> => {
    signal.throwIfAborted()
    const taking = pool.take()
    try {
      return await abortable(taking, signal)
    } catch (error) {
      void taking.then(endWaitingWorker, () => undefined)
      throw error
    }
  }

  /** Makes a worker that waited the runner of the phase: the directory that its user may use, its name and its lease. */
  const assign = async (
    waiting: ConnectedRunner,
    { identity, runDirectory, bind }: { identity: PhaseIdentity; runDirectory: string; bind: Bind },
  ): Promise<ConnectedRunner> => {
    const { pid, startTicks, instanceId, uid, authority } = waiting.ref
    const ref = { ...waiting.ref, uri: runnerUri(installationId, identity, instanceId), runDirectory }
    if (isolation && uid !== undefined) await renewUidClaim(isolation, uid, { instanceId, pid, startTicks, runDirectory })
    await bind(waiting.runner, await leaves.take(ref.uri, authority))
    waiting.expect?.(ref.uri)
    return { ...waiting, ref }
  }

  return {
    start: async (identity, signal, bind) => {
      const runDirectory = join(workRoot, identity.runId)
      await mkdir(workRoot, { recursive: true, mode: isolation ? 0o711 : 0o700 })
      for (let tries = 1; ; tries++) {
        await removeRunDirectory(runDirectory)
        const waiting = await take(signal)
        try {
          const assigned = await assign(waiting.connected, { identity, runDirectory, bind })
          signal.throwIfAborted()
          return assigned
        } catch (error) {
          await endWaitingWorker(waiting)
          if (tries >= START_TRIES || !(error instanceof RunnerError)) throw error
          log.warn({ pid: waiting.pid, error: errorMessage(error) }, 'a waiting worker did not answer, another one is taken')
        }
      }
    },
    reattach: async (ref, identity, signal) => {
      if (ref.uri !== runnerUri(installationId, identity, ref.instanceId)) {
        throw new RunnerError('PEER_IDENTITY', `the stored runner belongs to another phase than ${identity.phase} of ${identity.runId}`)
      }
      if (!isRunning(ref.pid, ref.startTicks)) throw new RunnerError('UNAVAILABLE', 'the worker process has ended')
      const connected = await connect(ref)
      if (!signal.aborted) return connected
      connected.close()
      throw signal.reason
    },
    rebind: async (planned, identity, { lease, next, deadline, access }) => {
      const { runner, until } = planned
      const ref = { ...planned.ref, uri: runnerUri(installationId, identity, planned.ref.instanceId) }
      const { certificatePem, privateKeyPem } = await leaves.take(ref.uri, ref.authority)
      await runner.rebind({ lease, next, deadlineUnixMs: deadline.getTime(), certificatePem, privateKeyPem, ...access })
      planned.expect?.(ref.uri)
      if (until !== undefined && until > deadline) return { ...planned, ref }
      planned.close()
      return connect(ref)
    },
    expectRebind: (ref, identity) => leaves.expect(runnerUri(installationId, identity, ref.instanceId), ref.authority),
    destroy,
    recoverState: (ref) => jobs.recoverState(ref),
    leftEvents: (ref) => jobs.leftEvents(ref),
    discard: (ref) => jobs.discard(ref),
    runDirectories: () => listRunDirectories(workRoot),
    warm: () => pool.warm(),
    close: () => pool.close(),
  }
}
