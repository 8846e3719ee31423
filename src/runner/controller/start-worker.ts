import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../platform/log.ts'
import { newUuid } from '../../platform/ids.ts'
import type { CaBundle } from '../pki/ca.ts'
import type { Bootstrap } from '../host/bootstrap.ts'
import type { Leaf } from '../pki/sign-leaf.ts'
import { controllerUriPrefix, idleRunnerUri } from '../pki/spiffe.ts'
import type { ConnectedRunner, RunnerRef } from './placement.ts'
import { bindWorker } from './process-bind.ts'
import { endProcess } from './process-end.ts'
import { type StartedWorker, spawnWorker } from './process-spawn.ts'
import { type UidRange, claimUid } from './process-uid.ts'

/** A worker that serves nobody's run yet, and the connection to it. */
export type ReadyWorker = StartedWorker & { connected: ConnectedRunner }

const END_MS = 3_000

type Options = {
  entry: readonly string[]
  ca: () => Promise<CaBundle>
  issue: (uri: string, authority: string) => Promise<Leaf>
  connect: (ref: RunnerRef) => Promise<ConnectedRunner>
  installationId: string
  workRoot: string
  isolation: UidRange | undefined
  setpriv: () => Promise<string | null>
  orphanGraceMs: number | undefined
  log: Log
}

/** Starts one, with a user of its own, under a name that stands for no run. Nothing is left of it when that fails. Throws RunnerError. */
export const startWorker = async (options: Options): Promise<ReadyWorker> => {
  const { installationId, workRoot, isolation, log } = options
  const worker = await spawnWorker(options.entry, log)
  try {
    const { pid, startTicks } = worker
    const instanceId = newUuid()
    const uid = isolation && (await claimUid(isolation, { instanceId, pid, startTicks, runDirectory: '' }))
    const bundle = await options.ca()
    const authority = bundle.ca.fingerprint
    const uri = idleRunnerUri(installationId, instanceId)
    const { certificatePem, privateKeyPem } = await options.issue(uri, authority)
    const bootstrap: Bootstrap = {
      installationId,
      instanceId,
      workRoot,
      isolation: uid === undefined ? undefined : { uid, gid: uid },
      setpriv: await options.setpriv(),
      certificatePem,
      privateKeyPem,
      trustPem: bundle.trustPem,
      controllerUriPrefix: controllerUriPrefix(installationId),
      logLevel: log.level,
      orphanGraceMs: options.orphanGraceMs,
    }
    const address = `127.0.0.1:${await bindWorker(worker, bootstrap)}`
    const ref: RunnerRef = { placement: 'process', address, pid, startTicks, uri, instanceId, authority, runDirectory: '', uid }
    return { ...worker, connected: await options.connect(ref) }
  } catch (error) {
    await endProcess(worker.pid, worker.startTicks)
    throw error
  }
}

/** Ends one that is not wanted: by itself, cleanly, because nobody can give it a phase any more; else by force. */
export const endWaitingWorker = async ({ stdin, exited, pid, startTicks, connected }: ReadyWorker): Promise<void> => {
  connected.close()
  stdin.end()
  await Promise.race([exited, delay(END_MS, undefined, { ref: false })])
  await endProcess(pid, startTicks)
}
