import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { connectRunner } from '../transport/grpc-client.ts'
import { serveRunner } from '../transport/grpc-server.ts'
import { makeWorker } from '../worker/worker.ts'
import type { Rehearsal } from './bootstrap.ts'
import { playRun } from './play-run.ts'

const NOBODY = 'rehearsal'

/**
 * Plays a run, on an identity that nobody trusts, within this process: whatever runs for the first time in a process takes several times longer,
 * and nobody waits for it now. Leaves nothing behind.
 */
export const rehearse = async ({ server: serverLeaf, client: clientLeaf, trustPem, serverUri, clientUri }: Rehearsal): Promise<void> => {
  const workRoot = await mkdtemp(join(tmpdir(), 'terrane-rehearsal-'))
  const runner = makeWorker({
    workRoot,
    instanceId: NOBODY,
    installationId: NOBODY,
    isolation: undefined,
    log: silentLog,
    clock: systemClock,
  })
  const server = await serveRunner({
    runner,
    identity: { ...serverLeaf, trustPem: [trustPem], expectedControllerPrefix: clientUri },
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
  })
  const connection = connectRunner({
    address: `127.0.0.1:${server.port}`,
    expectedUri: serverUri,
    identity: { ...clientLeaf, trustPem: [trustPem] },
    log: silentLog,
  })
  try {
    await playRun(connection.runner, workRoot)
  } finally {
    connection.close()
    await server.close()
    await rm(workRoot, { recursive: true, force: true })
  }
}
