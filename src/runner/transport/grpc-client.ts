import { Metadata, credentials } from '@grpc/grpc-js'
import type { Log } from '../../platform/log.ts'
import { RunnerClient } from '../gen/runner/v1/runner.ts'
import { RunnerError } from '../runner.ts'
import type { Runner } from '../runner.ts'
import { callStream } from './call-stream.ts'
import { callUnary } from './call-unary.ts'
import { type ClientIdentity, checkPeerUri, clientContext } from './client-identity.ts'
import { fromGrpcError, isConnectionFailure } from './errors.ts'
import { COMMON_OPTIONS } from './limits.ts'
import { probe } from './probe.ts'
import { writeAll } from './stream.ts'

const QUICK_MS = 5_000
const UNARY_MS = 30_000

export type ConnectOptions = {
  /** `HOST:PORT` with a numeric host. */
  address: string
  /** The only name that the runner's certificate may have, until `expect` says another one. */
  expectedUri: string
  identity: ClientIdentity
  log: Log
}

export type RunnerConnection = {
  runner: Runner
  /** The runner was given another certificate: its name from now on, for when the connection is made again. */
  expect(uri: string): void
  close(): void
}

/**
 * A runner behind TLS 1.3: the only place that makes channels. Connects with the first call and again by itself after a cut,
 * but never repeats a call, and not at all once the peer proved to be somebody else (`PEER_IDENTITY`). Throws RunnerError
 * `INVALID_ARGUMENT` for an unusable trust bundle.
 */
export const connectRunner = ({ address, expectedUri: firstUri, identity, log }: ConnectOptions): RunnerConnection => {
  let expectedUri = firstUri
  const channel = new RunnerClient(
    address,
    credentials.createFromSecureContext(clientContext(identity), { checkServerIdentity: checkPeerUri(() => expectedUri) }),
    {
      ...COMMON_OPTIONS,
      // Channels to one address with other credentials must not share a connection.
      'grpc.use_local_subchannel_pool': 1,
      // TLS allows no address as server name; the name itself is not looked at.
      'grpc.ssl_target_name_override': 'runner',
      'grpc.enable_retries': 0,
      'grpc.enable_http_proxy': 0,
      'grpc.service_config_disable_resolution': 1,
      'grpc.initial_reconnect_backoff_ms': 200,
      'grpc.max_reconnect_backoff_ms': 5_000,
    },
  )
  let ended: RunnerError | undefined

  const end = (reason: RunnerError): void => {
    ended ??= reason
    channel.close()
  }
  const client = (): RunnerClient => {
    if (ended) throw ended
    return channel
  }
  const explain = async (error: unknown): Promise<unknown> => {
    if (ended || !isConnectionFailure(error)) return fromGrpcError(error)
    const reason = await probe({ address, expectedUri, identity })
    log.warn({ address, code: reason.code, reason: reason.message }, 'runner unreachable')
    if (reason.code === 'PEER_IDENTITY') end(reason)
    return reason
  }
  const within = (timeoutMs: number) => ({ deadline: Date.now() + timeoutMs })

  return {
    runner: {
      handshake: (request) => callUnary((done) => client().handshake(request, new Metadata(), within(QUICK_MS), done), explain),
      status: (request) => callUnary((done) => client().status(request, new Metadata(), within(QUICK_MS), done), explain),
      acquireLease: (request) => callUnary((done) => client().acquireLease(request, new Metadata(), within(UNARY_MS), done), explain),
      rebind: (request) => callUnary((done) => client().rebind(request, new Metadata(), within(UNARY_MS), done), explain),
      cancel: (request) => callUnary((done) => client().cancel(request, new Metadata(), within(UNARY_MS), done), explain),
      shutdown: (request) => callUnary((done) => client().shutdown(request, new Metadata(), within(UNARY_MS), done), explain),
      upload: async (frames) => {
        const over = new AbortController()
        const reply = callUnary<Awaited<ReturnType<Runner['upload']>>>((done, fail) => {
          const call = client().upload(done)
          writeAll(call, frames, over.signal).then(
            () => call.end(),
            (error: unknown) => {
              fail(error)
              call.cancel()
            },
          )
        }, explain)
        return reply.finally(() => over.abort())
      },
      download: (request) => callStream(() => client().download(request), explain),
      prepare: (request) => callStream(() => client().prepare(request), explain),
      init: (request) => callStream(() => client().init(request), explain),
      detectDrift: (request) => callStream(() => client().detectDrift(request), explain),
      plan: (request) => callStream(() => client().plan(request), explain),
      apply: (request) => callStream(() => client().apply(request), explain),
      show: (request) => callStream(() => client().show(request), explain),
      output: (request) => callStream(() => client().output(request), explain),
      providerSchemas: (request) => callStream(() => client().providerSchemas(request), explain),
      attach: (request) => callStream(() => client().attach(request), explain),
      stateStream: (acks) =>
        callStream((over) => {
          const call = client().stateStream()
          writeAll(call, acks, over).then(
            () => call.end(),
            (error: unknown) => call.destroy(error instanceof Error ? error : new Error(String(error))),
          )
          return call
        }, explain),
    },
    expect: (uri) => (expectedUri = uri),
    close: () => end(new RunnerError('UNAVAILABLE', 'the connection to the runner was closed')),
  }
}
