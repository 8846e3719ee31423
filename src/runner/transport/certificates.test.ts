import { webcrypto, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { captureLog } from '../../../test/harness/captured-log.ts'
import { makeEchoRunner } from '../../../test/harness/echo-runner.ts'
import {
  CONTROLLER_URI,
  HOUR_MS,
  IDENTITY,
  INSTALLATION,
  RUNNER_URI,
  clockAt,
  controllerLeaf,
  newCa,
  runnerLeaf,
} from '../../../test/harness/test-pki.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'
import { x509 } from '../../../test/harness/x509.ts'
import { silentLog } from '../../platform/log.ts'
import { type Ca, issuerOf } from '../pki/ca.ts'
import { type Leaf, type LeafName, signLeaf } from '../pki/sign-leaf.ts'
import { controllerUri, controllerUriPrefix, runnerUri } from '../pki/spiffe.ts'
import { EC_P256 } from '../pki/certificate.ts'
import { connectRunner } from './grpc-client.ts'
import { serveRunner } from './grpc-server.ts'

const MINUTE_MS = 60_000
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

let ca: Ca
let good: Leaf
let server: Leaf
beforeAll(async () => {
  ca = await newCa()
  good = await controllerLeaf(ca)
  server = await runnerLeaf(ca)
})

const serve = async (leaf: Leaf = server, trustPem = [ca.certificatePem], handshakeTimeoutMs?: number) => {
  const captured = captureLog()
  const { port, close } = await serveRunner({
    runner: makeEchoRunner(),
    identity: { ...leaf, trustPem, expectedControllerPrefix: controllerUriPrefix(INSTALLATION) },
    host: '127.0.0.1',
    port: 0,
    log: captured.log,
    handshakeTimeoutMs,
  })
  closers.push(close)
  return { port, address: `127.0.0.1:${port}`, log: captured.text }
}

const call = async (address: string, leaf: Leaf = good, trustPem = [ca.certificatePem], expectedUri = RUNNER_URI) => {
  const { runner, close } = connectRunner({ address, expectedUri, identity: { ...leaf, trustPem }, log: silentLog })
  closers.push(close)
  return runner.handshake({
    protoMin: 1,
    protoMax: 1,
    installationId: INSTALLATION,
    controllerId: 'replica',
    nowUnixMs: Date.now(),
    nonce: 'nonce',
  })
}

const refusesIdentity = { code: 'PEER_IDENTITY' }

const withNames = (authority: Ca, names: LeafName[], usage: 'server' | 'client'): Promise<Leaf> =>
  signLeaf(authority, { names, usage, lifetimeMs: HOUR_MS })

describe('certificates of the controller', () => {
  it('case 1: a good pair works', async () => {
    const { address } = await serve()
    expect((await call(address)).nonceEcho).toBe('nonce')
  })

  it('case 2: an expired leaf is refused', async () => {
    const { address, log } = await serve()
    const expired = await controllerLeaf({ ...ca, clock: clockAt(-3 * MINUTE_MS) }, CONTROLLER_URI, MINUTE_MS)
    await expect(call(address, expired)).rejects.toMatchObject(refusesIdentity)
    expect(log()).toContain('CERT_HAS_EXPIRED')
  })

  it('case 4: ten minutes early is refused, four minutes of skew are not', async () => {
    const { address, log } = await serve()
    await expect(call(address, await controllerLeaf({ ...ca, clock: clockAt(10 * MINUTE_MS) }))).rejects.toMatchObject(refusesIdentity)
    expect(log()).toContain('CERT_NOT_YET_VALID')
    expect((await call(address, await controllerLeaf({ ...ca, clock: clockAt(4 * MINUTE_MS) }))).proto).toBe(1)
  })

  it('case 5: a leaf of another authority is refused', async () => {
    const { address } = await serve()
    await expect(call(address, await controllerLeaf(await newCa()))).rejects.toMatchObject(refusesIdentity)
  })

  it('case 9: two names are refused, on either side', async () => {
    const uri = { type: 'url', value: CONTROLLER_URI } as const
    const { address, log } = await serve()
    for (const names of [[uri, uri], [uri, { type: 'dns', value: 'localhost' } as const], [{ type: 'dns', value: 'localhost' } as const]]) {
      await expect(call(address, await withNames(ca, names, 'client'))).rejects.toMatchObject(refusesIdentity)
    }
    expect(log().match(/does not name a controller/g)?.length).toBeGreaterThanOrEqual(3)
    const runner = { type: 'url', value: RUNNER_URI } as const
    for (const names of [
      [runner, { type: 'ip', value: '127.0.0.1' } as const],
      [runner, runner],
    ]) {
      const two = await serve(await withNames(ca, names, 'server'))
      await expect(call(two.address)).rejects.toMatchObject(refusesIdentity)
    }
  })

  it('case 10: the leaf of a runner is refused as client, also with the usage of one', async () => {
    const { address, log } = await serve()
    await expect(call(address, server)).rejects.toMatchObject(refusesIdentity)
    await expect(call(address, await controllerLeaf(ca, RUNNER_URI))).rejects.toMatchObject(refusesIdentity)
    expect(log()).toContain('does not name a controller')
  })

  it('a controller of another installation is refused', async () => {
    const { address } = await serve()
    await expect(call(address, await controllerLeaf(ca, controllerUri('installation12', 'replica')))).rejects.toMatchObject(refusesIdentity)
  })

  it('case 12: no certificate is refused', async () => {
    const { port, log } = await serve()
    const socket = tls.connect({
      host: '127.0.0.1',
      port,
      ca: ca.certificatePem,
      ALPNProtocols: ['h2'],
      checkServerIdentity: () => undefined,
    })
    const [error] = await once(socket, 'error')
    expect(String(error)).toContain('certificate required')
    expect(log()).toContain('peer did not return a certificate')
  })

  it('case 13: a self-signed leaf is refused', async () => {
    const { address } = await serve()
    const keys = await webcrypto.subtle.generateKey(EC_P256, true, ['sign', 'verify'])
    const own = await controllerLeaf({
      ...ca,
      ...issuerOf(new X509Certificate(Buffer.from((await selfSigned(keys)).rawData))),
      signingKey: keys.privateKey,
    })
    await expect(call(address, own)).rejects.toMatchObject(refusesIdentity)
  })

  it('case 14: a leaf cannot issue leaves', async () => {
    const { address, log } = await serve()
    const key = Buffer.from(good.privateKeyPem.replaceAll(/-----.*-----|\s/g, ''), 'base64')
    const signingKey = await webcrypto.subtle.importKey('pkcs8', key, EC_P256, false, ['sign'])
    const smuggled = await controllerLeaf({ ...ca, ...issuerOf(new X509Certificate(good.certificatePem)), signingKey })
    await expect(call(address, { ...smuggled, certificatePem: smuggled.certificatePem + good.certificatePem })).rejects.toMatchObject(
      refusesIdentity,
    )
    expect(log()).toMatch(/INVALID_CA|UNABLE_TO|connection refused/)
  })
})

describe('certificates of the runner', () => {
  it('case 3: an expired leaf is refused', async () => {
    const { address } = await serve(await runnerLeaf({ ...ca, clock: clockAt(-3 * MINUTE_MS) }, RUNNER_URI, MINUTE_MS))
    await expect(call(address)).rejects.toMatchObject({ ...refusesIdentity, message: expect.stringContaining('expired') })
  })

  it('case 6: a leaf of another authority is refused', async () => {
    const other = await newCa()
    const { address } = await serve(await runnerLeaf(other))
    await expect(call(address)).rejects.toMatchObject(refusesIdentity)
  })

  it.each([
    ['case 7: another run', runnerUri(INSTALLATION, { ...IDENTITY, runId: 'run-2' }, 'instance')],
    ['case 8: another organization', runnerUri(INSTALLATION, { ...IDENTITY, organizationId: 'org-2' }, 'instance')],
    ['another phase', runnerUri(INSTALLATION, { ...IDENTITY, phase: 'apply' }, 'instance')],
    ['another instance', runnerUri(INSTALLATION, IDENTITY, 'instance2')],
  ])('%s is refused', async (_what, uri) => {
    const { address } = await serve(await runnerLeaf(ca, uri))
    await expect(call(address)).rejects.toMatchObject({ ...refusesIdentity, message: expect.stringContaining('another runner') })
  })

  it('case 11: the leaf of a controller is refused as server', async () => {
    const { address } = await serve(await controllerLeaf(ca, CONTROLLER_URI))
    await expect(call(address, good, [ca.certificatePem], CONTROLLER_URI)).rejects.toMatchObject(refusesIdentity)
  })

  it('stays refused: after an identity failure nothing is tried again', async () => {
    const { address, log } = await serve(await runnerLeaf(ca, runnerUri(INSTALLATION, IDENTITY, 'instance2')))
    const { runner, close } = connectRunner({
      address,
      expectedUri: RUNNER_URI,
      identity: { ...good, trustPem: [ca.certificatePem] },
      log: silentLog,
    })
    closers.push(close)
    const status = () => runner.status({ lease: undefined })
    await expect(status()).rejects.toMatchObject(refusesIdentity)
    const before = log()
    await expect(status()).rejects.toMatchObject(refusesIdentity)
    expect(log()).toBe(before)
  })
})

describe('what is not our protocol', () => {
  it('case 15: plaintext to the TLS port ends within a second', async () => {
    const { port, log } = await serve()
    const socket = net.connect(port, '127.0.0.1')
    const started = performance.now()
    const closed = closeOf(socket)
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    await closed
    expect(performance.now() - started).toBeLessThan(1000)
    expect(log()).toMatch(/wrong version|http request|packet length/)
  })

  it('a server that hangs up in the middle of the handshake, as one that is killed does, is out of reach and no impostor', async () => {
    const dying = net.createServer((socket) => socket.once('data', () => socket.destroy()).on('error', () => undefined))
    const port = await new Promise<number>((resolve) => {
      dying.listen(0, '127.0.0.1', () => resolve((dying.address() as net.AddressInfo).port))
    })
    closers.push(() => dying.close())
    await expect(call(`127.0.0.1:${port}`)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('case 16: a plaintext server is refused', async () => {
    const plain = new Server()
    const port = await new Promise<number>((resolve, reject) =>
      plain.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
    )
    closers.push(() => plain.forceShutdown())
    await expect(call(`127.0.0.1:${port}`)).rejects.toMatchObject(refusesIdentity)
  })

  it('nothing at the address is UNAVAILABLE', async () => {
    const { address, port } = await serve()
    await closers.pop()?.()
    await expect(call(address)).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining(String(port)) })
  })

  it('case 17: TLS 1.2 is refused', async () => {
    const { port } = await serve()
    const socket = tls.connect({ host: '127.0.0.1', port, ...client(), maxVersion: 'TLSv1.2', ALPNProtocols: ['h2'] })
    const [error] = await once(socket, 'error')
    expect(String(error)).toMatch(/protocol version/)
  })

  it.each([
    ['http/1.1 only', ['http/1.1']],
    ['none', undefined],
  ])('case 18: application protocol %s is refused', async (_what, ALPNProtocols) => {
    const { port } = await serve()
    const socket = tls.connect({ host: '127.0.0.1', port, ...client(), ALPNProtocols })
    await closeOf(socket)
    expect(socket.bytesRead).toBeLessThan(4096)
  })

  it('case 19: a silent client and a slow one are closed at the limit of the handshake', async () => {
    const { port } = await serve(server, undefined, 200)
    const silent = net.connect(port, '127.0.0.1')
    const slow = net.connect(port, '127.0.0.1')
    const closed = Promise.all([closeOf(silent), closeOf(slow)])
    slow.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]))
    const drip = setInterval(() => slow.writable && slow.write(Buffer.from([1])), 20)
    closers.push(() => clearInterval(drip))
    await closed
    expect(slow.bytesWritten).toBeGreaterThan(5)
  })

  it('case 20: thousands of half-open connections are capped and do not lock the controller out', async () => {
    const { port, address } = await serve(server, undefined, 60_000)
    const sockets: net.Socket[] = []
    closers.push(() => sockets.forEach((socket) => socket.destroy()))
    while (sockets.length < 1500) {
      // In portions that the kernel's queue of the listener holds.
      const portion = Array.from({ length: 250 }, () => net.connect(port, '127.0.0.1').resume())
      for (const socket of portion) socket.on('error', () => undefined)
      sockets.push(...portion)
      await waitFor(() => portion.every((socket) => !socket.connecting))
    }
    expect((await call(address)).proto).toBe(1)
    await waitFor(() => sockets.filter((socket) => !socket.destroyed).length <= 64)
  })

  it('case 33: no key and no certificate get into the log', async () => {
    const { address, log } = await serve()
    await call(address)
    await expect(call(address, await controllerLeaf(await newCa()))).rejects.toMatchObject(refusesIdentity)
    expect(log()).not.toContain('-----BEGIN')
  })
})

const client = () => ({
  servername: 'runner',
  ca: ca.certificatePem,
  cert: good.certificatePem,
  key: good.privateKeyPem,
  checkServerIdentity: () => undefined,
})

/** Resolves when the connection is closed, cleanly or not. */
const closeOf = (socket: net.Socket): Promise<void> =>
  new Promise((resolve) => {
    socket
      .on('error', () => undefined)
      .resume()
      .once('close', () => resolve())
  })

const selfSigned = (keys: webcrypto.CryptoKeyPair): Promise<x509.X509Certificate> =>
  x509.X509CertificateGenerator.createSelfSigned(
    { name: 'CN=nobody', keys, signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' } },
    webcrypto,
  )
