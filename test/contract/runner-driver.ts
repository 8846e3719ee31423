import { createHash, randomUUID } from 'node:crypto'
import { execFile } from 'node:child_process'
import { promisify, stripVTControlCharacters } from 'node:util'
import { Header } from 'tar'
import { gzipSync } from 'node:zlib'
import {
  type BlobKind,
  CancelMode,
  type Lease,
  LogFormat,
  type Phase,
  PlanMode,
  PrepareRequest,
  type ShowKind,
  type StateAck,
  type StateSnapshot,
  type StepEvent,
  StepOutcome,
  type StepResult,
  type UploadFrame,
} from '../../src/runner/gen/runner/v1/runner.ts'
import { CHUNK_BYTES, type Runner, RunnerError } from '../../src/runner/runner.ts'

export const ENGINE = process.env['TERRANE_TEST_TERRAFORM'] ?? '/usr/local/bin/terraform'
export const INSTALLATION = 'inst-test'

let engineVersion: Promise<string> | undefined
/** What the engine under test says it is. */
const versionOfEngine = async (): Promise<string> => {
  engineVersion ??= promisify(execFile)(ENGINE, ['version', '-json'], { env: { CHECKPOINT_DISABLE: '1' } }).then(
    ({ stdout }) => (JSON.parse(stdout) as { terraform_version: string }).terraform_version,
  )
  return engineVersion
}

/** A tar.gz of text files. */
export const slugOf = (files: Record<string, string>): Buffer => {
  const blocks: Buffer[] = []
  for (const [path, text] of Object.entries(files)) {
    const body = Buffer.from(text)
    const header = Buffer.alloc(512)
    new Header({ path, mode: 0o644, size: body.length, mtime: new Date(0), type: 'File' }).encode(header)
    blocks.push(header, body, Buffer.alloc((512 - (body.length % 512)) % 512))
  }
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

export const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex')

export async function* uploadFrames(lease: Lease, kind: BlobKind, data: Buffer): AsyncGenerator<UploadFrame> {
  yield { frame: { $case: 'header', value: { lease, kind, totalBytes: data.length } } }
  for (let offset = 0; offset < data.length; offset += CHUNK_BYTES)
    yield { frame: { $case: 'data', value: { offset, bytes: data.subarray(offset, offset + CHUNK_BYTES) } } }
  yield { frame: { $case: 'end', value: { sha256: sha256(data) } } }
}

/** `log` is without colours; `events` has every byte. */
export type Ran = { events: StepEvent[]; result: StepResult; log: string; notices: string[] }

/** Reads a step to its end; throws when the events break a rule of the contract. */
export const ran = async (stream: AsyncIterable<StepEvent>, onEvent?: (event: StepEvent) => void): Promise<Ran> => {
  const events: StepEvent[] = []
  let bytes = 0
  for await (const event of stream) {
    onEvent?.(event)
    if (event.event?.$case === 'ping') continue
    if (events.length > 0 && event.seq !== (events.at(-1)?.seq ?? 0) + 1) throw new Error(`seq ${event.seq} after ${events.at(-1)?.seq}`)
    if (event.event?.$case === 'log') {
      if (events[0]?.seq === 1 && event.event.value.offset !== bytes)
        throw new Error(`log at ${event.event.value.offset}, expected ${bytes}`)
      bytes += event.event.value.bytes.length
    }
    events.push(event)
  }
  const last = events.at(-1)?.event
  if (last?.$case !== 'result') throw new Error(`the stream ended without a result after ${events.length} events`)
  const logged = Buffer.concat(events.map(({ event }) => (event?.$case === 'log' ? event.value.bytes : Buffer.alloc(0))))
  const log = stripVTControlCharacters(logged.toString('utf8'))
  return { events, result: last.value, log, notices: events.flatMap(({ event }) => (event?.$case === 'notice' ? [event.value.text] : [])) }
}

export const leaseOf = (runId: string, phase: Phase, epoch = 1): Lease => ({ runId, phase, epoch })

export const greet = async (runner: Runner): Promise<void> => {
  const reply = await runner.handshake({
    protoMin: 1,
    protoMax: 1,
    installationId: INSTALLATION,
    controllerId: 'c1',
    nowUnixMs: Date.now(),
    nonce: 'n',
  })
  if (reply.nonceEcho !== 'n') throw new Error('the handshake does not echo the nonce')
}

/** Sends calls for one lease, with sensible values for what a test does not care about. */
export const makeDriver = (runner: Runner, lease: Lease) => {
  const op = (): { lease: Lease; opId: string } => ({ lease, opId: randomUUID() })
  return {
    lease,
    async begin(deadlineUnixMs = 0): Promise<void> {
      await greet(runner)
      await runner.acquireLease({ lease, deadlineUnixMs })
    },
    upload: async (kind: BlobKind, data: Buffer) => runner.upload(uploadFrames(lease, kind, data)),
    download: async (kind: BlobKind): Promise<Buffer> => {
      const chunks: Buffer[] = []
      let digest = ''
      for await (const chunk of runner.download({ lease, kind })) {
        chunks.push(chunk.bytes)
        if (chunk.last) digest = chunk.sha256
      }
      const whole = Buffer.concat(chunks)
      if (digest !== sha256(whole)) throw new Error('the digest of a download is wrong')
      return whole
    },
    prepare: async (request: Parameters<typeof PrepareRequest.create>[0] = {}): Promise<Ran> =>
      ran(runner.prepare(PrepareRequest.create({ ...op(), enginePath: ENGINE, engineVersion: await versionOfEngine(), ...request }))),
    init: async (request: { lockfileReadonly?: boolean; logFormat?: LogFormat } = {}): Promise<Ran> =>
      ran(runner.init({ ...op(), lockfileReadonly: false, logFormat: LogFormat.TEXT, ...request })),
    plan: async (request: Partial<Parameters<Runner['plan']>[0]> = {}): Promise<Ran> =>
      ran(runner.plan(planRequest({ ...op(), ...request }))),
    drift: async (): Promise<Ran> => ran(runner.detectDrift({ ...op(), parallelism: 0 })),
    apply: async (
      request: { opId?: string; logFormat?: LogFormat; parallelism?: number } = {},
      onEvent?: (event: StepEvent) => void,
    ): Promise<Ran> => ran(runner.apply({ ...op(), parallelism: 0, logFormat: LogFormat.TEXT, ...request }), onEvent),
    show: async (kind: ShowKind): Promise<Ran> => ran(runner.show({ ...op(), kind })),
    output: async (): Promise<Ran> => ran(runner.output(op())),
    schemas: async (): Promise<Ran> => ran(runner.providerSchemas(op())),
    shutdown: async (cleanup = true) => runner.shutdown({ lease, cleanup }),
  }
}
export type Driver = ReturnType<typeof makeDriver>

export const planRequest = (request: Partial<Parameters<Runner['plan']>[0]>): Parameters<Runner['plan']>[0] => ({
  lease: undefined,
  opId: '',
  mode: PlanMode.NORMAL,
  refresh: true,
  targets: [],
  replace: [],
  invoke: '',
  parallelism: 0,
  generateConfig: false,
  logFormat: LogFormat.TEXT,
  ...request,
})

/** Whole snapshots put together from their chunks. */
export type Received = { seq: number; serial: number; lineage: string; state: Buffer; final: boolean }

/** Reads a state stream and acknowledges each snapshot, unless `ack` says no. */
export const receiveStates = async (
  runner: Runner,
  lease: Lease,
  options: { from?: number; ack?: (snapshot: Received) => boolean } = {},
): Promise<Received[]> => {
  const acks = makeAcks()
  acks.send({ lease, seq: options.from ?? 0 })
  const received: Received[] = []
  let chunks: Buffer[] = []
  for await (const snapshot of runner.stateStream(acks.stream)) {
    chunks.push(snapshot.bytes)
    if (!snapshot.last) continue
    const whole = joined(snapshot, Buffer.concat(chunks))
    chunks = []
    received.push(whole)
    if (options.ack === undefined || options.ack(whole)) acks.send({ lease, seq: whole.seq })
    else acks.end()
  }
  acks.end()
  return received
}

const joined = ({ seq, serial, lineage, sha256: digest, totalBytes, final }: StateSnapshot, state: Buffer): Received => {
  if (state.length !== totalBytes) throw new Error('a snapshot has another length than declared')
  if (state.length > 0 && digest !== sha256(state)) throw new Error('the digest of a snapshot is wrong')
  return { seq, serial, lineage, state, final }
}

/** The controller's side of a state stream. */
export const makeAcks = (): { stream: AsyncIterable<StateAck>; send(ack: StateAck): void; end(): void } => {
  const queue: StateAck[] = []
  let ended = false
  let wake = (): void => undefined
  const stream = async function* (): AsyncGenerator<StateAck> {
    for (;;) {
      for (let ack = queue.shift(); ack !== undefined; ack = queue.shift()) yield ack
      if (ended) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return {
    stream: stream(),
    send(ack) {
      queue.push(ack)
      wake()
    },
    end() {
      ended = true
      wake()
    },
  }
}

/** Ends a runner whatever it is doing; its directory stays. Nothing happens when it has been shut down. */
export const endRunner = async (runner: Runner): Promise<void> => {
  const { lease, operations } = await runner.status({ lease: undefined })
  try {
    if (lease !== undefined) await runner.cancel({ lease, mode: CancelMode.KILL })
    for (const { opId, done } of operations) if (!done) await ran(runner.attach({ lease, opId, fromSeq: 0 }))
    await runner.shutdown({ lease, cleanup: false })
  } catch (error) {
    if (!(error instanceof RunnerError) || error.code !== 'UNAVAILABLE') throw error
  }
}

/** Addresses of the resources in a state. */
export const resourcesIn = (state: Buffer | undefined): string[] => {
  if (state === undefined || state.length === 0) return []
  const { resources } = JSON.parse(state.toString('utf8')) as { resources: { type: string; name: string; instances: unknown[] }[] }
  return resources.filter(({ instances }) => instances.length > 0).map(({ type, name }) => `${type}.${name}`)
}

export const expectSucceeded = ({ result, log }: Ran): void => {
  if (result.outcome !== StepOutcome.SUCCEEDED) throw new Error(`step failed: ${JSON.stringify(result.errors)}\n${log}`)
}
