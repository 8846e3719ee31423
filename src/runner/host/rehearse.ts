import { createHash } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { fileIdentity } from '../file-identity.ts'
import { BlobKind, type Lease, Phase, PrepareRequest, type StepEvent, type UploadFrame } from '../gen/runner/v1/runner.ts'
import type { Runner } from '../runner.ts'
import { connectRunner } from '../transport/grpc-client.ts'
import { serveRunner } from '../transport/grpc-server.ts'
import { makeWorker } from '../worker/worker.ts'
import type { Rehearsal } from './bootstrap.ts'

const NOBODY = 'rehearsal'

/**
 * Plays the begin of a phase, of an empty configuration and on an identity that nobody trusts, within this process: whatever runs for the first
 * time in a process takes several times longer, and nobody waits for it now. Leaves nothing behind.
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
    await play(connection.runner)
  } finally {
    connection.close()
    await server.close()
    await rm(workRoot, { recursive: true, force: true })
  }
}

const play = async (runner: Runner): Promise<void> => {
  const now = Date.now()
  await runner.handshake({
    protoMin: 1,
    protoMax: 1,
    installationId: NOBODY,
    controllerId: NOBODY,
    nowUnixMs: now,
    nonce: NOBODY,
    certificatePem: '',
    privateKeyPem: '',
  })
  const lease = { runId: NOBODY, phase: Phase.PLAN, epoch: 1 }
  await runner.acquireLease({ lease, deadlineUnixMs: now + 60_000 })
  await runner.upload(emptyArchive(lease))
  // No engine, but known: it is not started.
  const enginePath = process.execPath
  const engineFile = fileIdentity(await stat(enginePath, { bigint: true }))
  const request = PrepareRequest.fromPartial({ lease, opId: NOBODY, enginePath, engineFile, allowEmptyConfig: true })
  await drain(runner.prepare(request))
  await runner.shutdown({ lease, cleanup: true })
}

async function* emptyArchive(lease: Lease): AsyncGenerator<UploadFrame> {
  const bytes = gzipSync(Buffer.alloc(1024))
  yield { frame: { $case: 'header', value: { lease, kind: BlobKind.SLUG, totalBytes: bytes.length } } }
  yield { frame: { $case: 'data', value: { offset: 0, bytes } } }
  yield { frame: { $case: 'end', value: { sha256: createHash('sha256').update(bytes).digest('hex') } } }
}

const drain = async (events: AsyncIterable<StepEvent>): Promise<void> => {
  for await (const _event of events);
}
