import { credentials, status as grpcStatus } from '@grpc/grpc-js'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { captureLog } from '../../../test/harness/captured-log.ts'
import { logEvent, makeEchoRunner } from '../../../test/harness/echo-runner.ts'
import { CONTROLLER_URI, HOUR_MS, INSTALLATION, RUNNER_URI, controllerLeaf, newCa, runnerLeaf } from '../../../test/harness/test-pki.ts'
import { waitFor } from '../../../test/harness/wait-for.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { HealthCheckResponse_ServingStatus, HealthClient } from '../gen/grpc/health/v1/health.ts'
import type { AttachRequest, StateAck, StateSnapshot, UploadFrame } from '../gen/runner/v1/runner.ts'
import { BlobKind } from '../gen/runner/v1/runner.ts'
import type { Ca } from '../pki/ca.ts'
import type { Leaf } from '../pki/sign-leaf.ts'
import { controllerUriPrefix } from '../pki/spiffe.ts'
import { CHUNK_BYTES, type Runner, RunnerError, type RunnerErrorCode } from '../runner.ts'
import { checkPeerUri, clientContext } from './client-identity.ts'
import { connectRunner } from './grpc-client.ts'
import { serveRunner } from './grpc-server.ts'
import { MESSAGE_LIMIT_BYTES } from './limits.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

let ca: Ca
let client: Leaf
let server: Leaf
beforeAll(async () => {
  ca = await newCa()
  client = await controllerLeaf(ca)
  server = await runnerLeaf(ca)
})

const open = async (override: Partial<Runner> = {}, { clock = systemClock, leaf = client }: { clock?: Clock; leaf?: Leaf } = {}) => {
  const captured = captureLog()
  const served = await serveRunner({
    runner: makeEchoRunner(override),
    identity: { ...server, trustPem: [ca.certificatePem], expectedControllerPrefix: controllerUriPrefix(INSTALLATION) },
    host: '127.0.0.1',
    port: 0,
    log: captured.log,
    clock,
  })
  const connection = connectRunner({
    address: `127.0.0.1:${served.port}`,
    expectedUri: RUNNER_URI,
    identity: { ...leaf, trustPem: [ca.certificatePem] },
    log: silentLog,
  })
  closers.push(
    () => served.close(),
    () => connection.close(),
  )
  return { ...connection, port: served.port, served, log: captured.text }
}

const attach: AttachRequest = { lease: undefined, opId: 'op', fromSeq: 0 }

const collect = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

async function* frames(chunks: number): AsyncGenerator<UploadFrame> {
  yield { frame: { $case: 'header', value: { lease: undefined, kind: BlobKind.SLUG, totalBytes: chunks * CHUNK_BYTES } } }
  for (let i = 0; i < chunks; i++)
    yield { frame: { $case: 'data', value: { offset: i * CHUNK_BYTES, bytes: Buffer.alloc(CHUNK_BYTES, i) } } }
}

describe('errors', () => {
  const codes: RunnerErrorCode[] = [
    'LEASE_FENCED',
    'OP_CONFLICT',
    'FAILED_PRECONDITION',
    'INVALID_ARGUMENT',
    'NOT_FOUND',
    'BAD_SLUG',
    'SLUG_TOO_LARGE',
    'DISK_FULL',
    'RESOURCE_EXHAUSTED',
    'PEER_IDENTITY',
    'CLOCK_SKEW',
    'UNAVAILABLE',
    'DEADLINE',
    'INTERNAL',
  ]

  it.each(codes)('%s crosses the wire from every kind of call', async (code) => {
    const fail = (): never => {
      throw new RunnerError(code, `because of ${code}`)
    }
    const { runner } = await open({
      cancel: async () => fail(),
      upload: async () => fail(),
      attach: async function* () {
        yield logEvent(1, Buffer.from('before'))
        fail()
      },
      stateStream: fail,
    })
    const expected = { name: 'RunnerError', code, message: `because of ${code}` }
    await expect(runner.cancel({ lease: undefined, mode: 1 })).rejects.toMatchObject(expected)
    await expect(runner.upload(frames(0))).rejects.toMatchObject(expected)
    await expect(collect(runner.stateStream(noAcks()))).rejects.toMatchObject(expected)
    const seen: number[] = []
    const reading = (async () => {
      for await (const event of runner.attach(attach)) seen.push(event.seq)
    })()
    await expect(reading).rejects.toMatchObject(expected)
    expect(seen).toEqual([1])
  })

  it('a fault of the runner leaves as INTERNAL without its text, which is in the log', async () => {
    const { runner, log } = await open({
      cancel: async () => {
        throw new TypeError('secret detail')
      },
    })
    await expect(runner.cancel({ lease: undefined, mode: 1 })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.not.stringContaining('secret'),
    })
    expect(log()).toContain('secret detail')
  })

  it('a failure of the source of an upload reaches the uploader as it is, and the runner as an end', async () => {
    let isOver = false
    let hasBegun = false
    const { runner } = await open({
      upload: async (incoming) => {
        hasBegun = true
        await collect(incoming).catch(() => undefined)
        isOver = true
        return { blobId: 'x', bytes: 0, sha256: '' }
      },
    })
    const source = async function* () {
      yield* frames(1)
      await waitFor(() => hasBegun)
      throw new RangeError('the file is gone')
    }
    await expect(runner.upload(source())).rejects.toThrow(new RangeError('the file is gone'))
    await waitFor(() => isOver)
  })
})

describe('limits', () => {
  it('a message over the limit is refused by name, in both directions', async () => {
    const { runner } = await open({
      upload: async (incoming) => ({ blobId: '', bytes: (await collect(incoming)).length, sha256: '' }),
      attach: async function* () {
        yield logEvent(1, Buffer.alloc(MESSAGE_LIMIT_BYTES + 1))
      },
    })
    const tooLarge: UploadFrame = { frame: { $case: 'data', value: { offset: 0, bytes: Buffer.alloc(MESSAGE_LIMIT_BYTES + 1) } } }
    const source = async function* () {
      yield tooLarge
    }
    await expect(runner.upload(source())).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      message: expect.stringContaining(String(MESSAGE_LIMIT_BYTES)),
    })
    await expect(collect(runner.attach(attach))).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED' })
  })

  it('a runner that does not answer a status ends in DEADLINE', async () => {
    const { runner } = await open({ status: () => new Promise(() => undefined) })
    await expect(runner.status({ lease: undefined })).rejects.toMatchObject({ code: 'DEADLINE' })
  })
})

describe('streams', () => {
  it('carry every byte of an upload and both directions of a state stream', async () => {
    const { runner } = await open({
      upload: async (incoming) => {
        let bytes = 0
        for await (const { frame } of incoming) if (frame?.$case === 'data') bytes += frame.value.bytes.length
        return { blobId: 'blob', bytes, sha256: '' }
      },
      stateStream: async function* (acks) {
        for await (const ack of acks) yield snapshot(ack.seq + 1, ack.seq === 3)
      },
    })
    expect(await runner.upload(frames(40))).toEqual({ blobId: 'blob', bytes: 40 * CHUNK_BYTES, sha256: '' })
    const acks = async function* (): AsyncGenerator<StateAck> {
      for (const seq of [1, 2, 3]) yield { lease: undefined, seq }
    }
    expect((await collect(runner.stateStream(acks()))).map((one) => one.seq)).toEqual([2, 3, 4])
  })

  it('a reader that does not read stops the producer', async () => {
    let produced = 0
    const { runner } = await open({
      attach: async function* () {
        for (; produced < 2000; produced++) yield logEvent(produced, Buffer.alloc(CHUNK_BYTES))
      },
    })
    const reader = runner.attach(attach)[Symbol.asyncIterator]()
    await reader.next()
    let before = -1
    await waitFor(() => produced === before || ((before = produced), false), { everyMs: 200 })
    expect(produced).toBeLessThan(200)
    await reader.return?.()
  })

  it('an uploader waits for a runner that does not read', async () => {
    let sent = 0
    let finish = (): void => undefined
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const { runner } = await open({
      upload: async (incoming) => {
        await finished
        return { blobId: '', bytes: (await collect(incoming)).length, sha256: '' }
      },
    })
    const source = async function* () {
      for await (const frame of frames(300)) {
        sent++
        yield frame
      }
    }
    const reply = runner.upload(source())
    let before = -1
    await waitFor(() => (sent > 0 && sent === before) || ((before = sent), false), { everyMs: 200 })
    expect(sent).toBeLessThan(150)
    finish()
    expect((await reply).bytes).toBe(301)
  })

  it('leaving a quiet stream is immediate, and the runner hears of it', async () => {
    let left = false
    let isAttached = false
    const { runner } = await open({
      attach: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => {
            isAttached = true
            return new Promise(() => undefined)
          },
          return: async () => {
            left = true
            return { done: true, value: undefined }
          },
        }),
      }),
    })
    const reader = runner.attach(attach)[Symbol.asyncIterator]()
    const leave = async (): Promise<void> => {
      await waitFor(() => isAttached)
      await reader.return?.()
    }
    await Promise.all([expect(reader.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' }), leave()])
    await waitFor(() => left)
  })

  it('a runner that goes away ends a stream with UNAVAILABLE', async () => {
    const { runner, served } = await open({
      attach: async function* () {
        yield logEvent(1, Buffer.from('x'))
        await new Promise(() => undefined)
      },
    })
    const reader = runner.attach(attach)[Symbol.asyncIterator]()
    await reader.next()
    await Promise.all([expect(reader.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' }), served.close()])
  })
})

describe('identity during a connection', () => {
  it('case 22: once the leaf has expired the next call is refused and the running stream goes on', async () => {
    let skewMs = 0
    const clock: Clock = { now: () => new Date(Date.now() + skewMs), monotonicMs: () => performance.now() }
    let openGate = (): void => undefined
    const gate = new Promise<void>((resolve) => (openGate = resolve))
    const { runner, log } = await open(
      {
        attach: async function* () {
          yield logEvent(1, Buffer.from('x'))
          await gate
          yield logEvent(2, Buffer.from('y'))
        },
      },
      { clock, leaf: await controllerLeaf(ca, CONTROLLER_URI, HOUR_MS) },
    )
    const reader = runner.attach(attach)[Symbol.asyncIterator]()
    await reader.next()
    skewMs = 2 * HOUR_MS
    await expect(runner.status({ lease: undefined })).rejects.toMatchObject({
      code: 'PEER_IDENTITY',
      message: expect.stringContaining('expired'),
    })
    expect(log()).toContain('/runner.v1.Runner/Status')
    openGate()
    expect((await reader.next()).value).toMatchObject({ seq: 2 })
  })

  it('a closed connection says so', async () => {
    const { runner, close } = await open()
    close()
    await expect(runner.status({ lease: undefined })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(collect(runner.attach(attach))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

describe('grpc.health.v1', () => {
  it('answers and tells watchers of the end, on the same port and to the same peers only', async () => {
    const { port, served } = await open()
    const secure = credentials.createFromSecureContext(clientContext({ ...client, trustPem: [ca.certificatePem] }), {
      checkServerIdentity: checkPeerUri(() => RUNNER_URI),
    })
    const health = new HealthClient(`127.0.0.1:${port}`, secure, { 'grpc.ssl_target_name_override': 'runner' })
    closers.push(() => health.close())
    const check = (service: string) =>
      new Promise((resolve, reject) => health.check({ service }, (error, reply) => (error ? reject(error) : resolve(reply.status))))
    expect(await check('')).toBe(HealthCheckResponse_ServingStatus.SERVING)
    expect(await check('runner.v1.Runner')).toBe(HealthCheckResponse_ServingStatus.SERVING)
    await expect(check('other')).rejects.toMatchObject({ code: grpcStatus.NOT_FOUND })
    const watch = health.watch({ service: '' })[Symbol.asyncIterator]()
    expect((await watch.next()).value).toEqual({ status: HealthCheckResponse_ServingStatus.SERVING })
    const closed = served.close()
    expect((await watch.next()).value).toEqual({ status: HealthCheckResponse_ServingStatus.NOT_SERVING })
    expect((await watch.next()).done).toBe(true)
    await closed
  })
})

async function* noAcks(): AsyncGenerator<StateAck> {
  yield { lease: undefined, seq: 0 }
}

const snapshot = (seq: number, final: boolean): StateSnapshot => ({
  seq,
  lineage: 'l',
  serial: seq,
  sha256: '',
  totalBytes: 0,
  bytes: Buffer.alloc(0),
  last: true,
  final,
})
