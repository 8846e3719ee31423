import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { newUuid } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Bootstrap, Rehearsal } from '../host/bootstrap.ts'
import type { CaBundle } from '../pki/ca.ts'
import { issueLeaf } from '../pki/issue.ts'
import { controllerUri, controllerUriPrefix, runnerUri } from '../pki/spiffe.ts'
import { RunnerError } from '../runner.ts'
import { connectRunner } from '../transport/grpc-client.ts'
import { removeRunDirectory } from '../worker/files/remove-run-directory.ts'
import type { ConnectedRunner, Placement, RunnerRef } from './placement.ts'
import { listRunDirectories } from './list-run-directories.ts'
import { makeControllerLeaf } from './make-controller-leaf.ts'
import { makeLocalJobs } from './local-jobs.ts'
import { makeRehearsal } from './make-rehearsal.ts'
import { bindWorker } from './process-bind.ts'
import { endProcess } from './process-end.ts'
import { greet } from './process-greet.ts'
import { isRunning } from './process-table.ts'
import { spawnWorker } from './process-spawn.ts'
import { type UidRange, claimUid, renewUidClaim } from './process-uid.ts'
import { makeRunnerLeaves } from './make-runner-leaves.ts'
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

/** Runners that are processes of this machine, reached on loopback over mutual TLS. */
export const makeProcessPlacement = (options: ProcessPlacementOptions): Placement => {
  const { ca, installationId, controllerId, workRoot, isolation, log, clock } = options
  // A certificate does not end before the phase that it serves.
  const lifetimeMs = (options.phaseMs ?? 24 * HOUR_MS) + HOUR_MS
  /** A worker and, so that no run waits for that, what is its own. */
  const startWorker = async () => {
    const worker = await spawnWorker(options.runnerEntry, log)
    const instanceId = newUuid()
    try {
      const { pid, startTicks } = worker
      const uid = isolation && (await claimUid(isolation, { instanceId, pid, startTicks, runDirectory: '' }))
      return { ...worker, instanceId, uid }
    } catch (error) {
      await endProcess(worker.pid, worker.startTicks)
      throw error
    }
  }
  const controllerLeaf = makeControllerLeaf({ uri: controllerUri(installationId, controllerId), lifetimeMs, clock })
  const leaves = makeRunnerLeaves(async (uri, authority) => issueLeaf((await ca(authority)).ca, { uri, usage: 'server', lifetimeMs }))
  const jobs = makeLocalJobs(isolation?.claimsDirectory)
  let rehearsal: Promise<Rehearsal> | undefined
  const pool = makeWorkerPool({
    start: startWorker,
    rehearsal: () => (rehearsal ??= makeRehearsal(clock)),
    log,
    ...options.pool,
  })

  const connect = async (ref: RunnerRef, signal: AbortSignal): Promise<ConnectedRunner> => {
    const bundle = await ca(ref.authority)
    const leaf = await controllerLeaf(bundle.ca)
    signal.throwIfAborted()
    const connection = connectRunner({
      address: ref.address,
      expectedUri: ref.uri,
      identity: { certificatePem: leaf.certificatePem, privateKeyPem: leaf.privateKeyPem, trustPem: bundle.trustPem },
      log,
    })
    try {
      await greet(connection.runner, { installationId, controllerId, instanceId: ref.instanceId, clock })
      signal.throwIfAborted()
    } catch (error) {
      connection.close()
      throw error
    }
    return { ...connection, ref, until: leaf.notAfter }
  }

  const destroy = async (ref: RunnerRef): Promise<void> => {
    await endProcess(ref.pid, ref.startTicks)
    await jobs.endLeftovers(ref)
  }

  return {
    start: async (identity, signal) => {
      const directory = join(workRoot, identity.runId)
      await mkdir(workRoot, { recursive: true, mode: isolation ? 0o711 : 0o700 })
      await removeRunDirectory(directory)
      const [bundle, worker] = await Promise.all([ca(), pool.take()])
      const { pid, startTicks, instanceId, uid } = worker
      const uri = runnerUri(installationId, identity, instanceId)
      const authority = bundle.ca.fingerprint
      const ref: RunnerRef = {
        placement: 'process',
        address: '',
        pid,
        startTicks,
        uri,
        instanceId,
        authority,
        runDirectory: directory,
        uid,
      }
      try {
        const leaf = await leaves.take(uri, authority)
        if (isolation && uid !== undefined) await renewUidClaim(isolation, uid, { instanceId, pid, startTicks, runDirectory: directory })
        signal.throwIfAborted()
        const bootstrap: Bootstrap = {
          installationId,
          instanceId,
          workRoot,
          isolation: uid === undefined ? undefined : { uid, gid: uid },
          certificatePem: leaf.certificatePem,
          privateKeyPem: leaf.privateKeyPem,
          trustPem: bundle.trustPem,
          controllerUriPrefix: controllerUriPrefix(installationId),
          logLevel: log.level,
          orphanGraceMs: options.orphanGraceMs,
        }
        ref.address = `127.0.0.1:${await bindWorker(worker, bootstrap, signal)}`
        return await connect(ref, signal)
      } catch (error) {
        await destroy(ref)
        throw error
      }
    },
    reattach: async (ref, identity, signal) => {
      if (ref.uri !== runnerUri(installationId, identity, ref.instanceId)) {
        throw new RunnerError('PEER_IDENTITY', `the stored runner belongs to another phase than ${identity.phase} of ${identity.runId}`)
      }
      if (!isRunning(ref.pid, ref.startTicks)) throw new RunnerError('UNAVAILABLE', 'the worker process has ended')
      return connect(ref, signal)
    },
    rebind: async ({ runner, ref: planned, until, close }, identity, { lease, next, deadline, access }) => {
      const ref = { ...planned, uri: runnerUri(installationId, identity, planned.instanceId) }
      const { certificatePem, privateKeyPem } = await leaves.take(ref.uri, ref.authority)
      await runner.rebind({ lease, next, deadlineUnixMs: deadline.getTime(), certificatePem, privateKeyPem, ...access })
      if (until !== undefined && until > deadline) return { runner, ref, until, close }
      close()
      return connect(ref, new AbortController().signal)
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
