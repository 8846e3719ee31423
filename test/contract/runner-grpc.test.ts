import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { silentLog } from '../../src/platform/log.ts'
import { bindWorker } from '../../src/runner/controller/process-bind.ts'
import { endProcess } from '../../src/runner/controller/process-end.ts'
import { spawnWorker } from '../../src/runner/controller/process-spawn.ts'
import type { Ca } from '../../src/runner/pki/ca.ts'
import { controllerUri, controllerUriPrefix, runnerUri } from '../../src/runner/pki/spiffe.ts'
import { connectRunner } from '../../src/runner/transport/grpc-client.ts'
import { bundleRunner } from '../harness/runner-bundle.ts'
import { controllerLeaf, IDENTITY, newCa, runnerLeaf } from '../harness/test-pki.ts'
import { describeRunner } from './runner-conformance.ts'
import { INSTALLATION } from './runner-driver.ts'

let directory: string
let workRoot: string
let entry: string[]
let ca: Ca
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'terrane-bundle-'))
  workRoot = join(directory, 'work')
  entry = await bundleRunner(directory)
  ca = await newCa()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** A worker process for each test, over mutual TLS, as the process placement starts it but without its handshake. */
describeRunner('in a process over gRPC', async () => {
  const instanceId = randomUUID()
  const uri = runnerUri(INSTALLATION, IDENTITY, instanceId)
  const trustPem = [ca.certificatePem]
  const { certificatePem, privateKeyPem } = await runnerLeaf(ca, uri)
  const worker = await spawnWorker(entry, silentLog)
  const bootstrap = {
    installationId: INSTALLATION,
    instanceId,
    workRoot,
    certificatePem,
    privateKeyPem,
    trustPem,
    controllerUriPrefix: controllerUriPrefix(INSTALLATION),
  }
  const port = await bindWorker(worker, bootstrap)
  const leaf = await controllerLeaf(ca, controllerUri(INSTALLATION, 'replica'))
  const connection = connectRunner({
    address: `127.0.0.1:${port}`,
    expectedUri: uri,
    identity: { certificatePem: leaf.certificatePem, privateKeyPem: leaf.privateKeyPem, trustPem },
    log: silentLog,
  })
  return {
    runner: connection.runner,
    workRoot,
    close: async () => {
      connection.close()
      await endProcess(worker.pid, worker.startTicks)
    },
  }
})
