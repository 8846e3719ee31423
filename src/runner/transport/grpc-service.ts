import type { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import type { handleServerStreamingCall, handleUnaryCall } from '@grpc/grpc-js'
import type { Log } from '../../platform/log.ts'
import type { RunnerServer } from '../gen/runner/v1/runner.ts'
import { RunnerError } from '../runner.ts'
import type { Runner } from '../runner.ts'
import { toGrpcStatus } from './errors.ts'
import { readAll, writeAll } from './stream.ts'

/** The generated service on top of `runner`: no decision of its own, only the change of form. */
export const makeGrpcService = (runner: Runner, log: Log): RunnerServer => {
  const unary =
    <Q, A>(method: (request: Q) => Promise<A>): handleUnaryCall<Q, A> =>
    (call, callback) =>
      void settle(
        () => method(call.request),
        (reply) => callback(null, reply),
        (error) => callback(toGrpcStatus(error, log)),
      )

  const streaming =
    <Q, A>(method: (request: Q) => AsyncIterable<A>): handleServerStreamingCall<Q, A> =>
    (call) =>
      void settle(
        () => writeAll(call, method(call.request), stopOf(call)),
        () => call.end(),
        (error) => call.emit('error', toGrpcStatus(error, log)),
      )

  return {
    handshake: unary((request) => runner.handshake(request)),
    acquireLease: unary((request) => runner.acquireLease(request)),
    upload: (call, callback) =>
      void settle(
        () => runner.upload(fromController(call)),
        (reply) => callback(null, reply),
        (error) => callback(toGrpcStatus(error, log)),
      ),
    download: streaming((request) => runner.download(request)),
    prepare: streaming((request) => runner.prepare(request)),
    init: streaming((request) => runner.init(request)),
    detectDrift: streaming((request) => runner.detectDrift(request)),
    plan: streaming((request) => runner.plan(request)),
    apply: streaming((request) => runner.apply(request)),
    show: streaming((request) => runner.show(request)),
    output: streaming((request) => runner.output(request)),
    providerSchemas: streaming((request) => runner.providerSchemas(request)),
    attach: streaming((request) => runner.attach(request)),
    stateStream: (call) =>
      void settle(
        () => writeAll(call, runner.stateStream(fromController(call)), stopOf(call)),
        () => call.end(),
        (error) => call.emit('error', toGrpcStatus(error, log)),
      ),
    cancel: unary((request) => runner.cancel(request)),
    rebind: unary((request) => runner.rebind(request)),
    status: unary((request) => runner.status(request)),
    shutdown: unary((request) => runner.shutdown(request)),
  }
}

const settle = async <A>(work: () => Promise<A>, done: (result: A) => void, failed: (error: unknown) => void): Promise<void> => {
  let result: A
  try {
    result = await work()
  } catch (error) {
    failed(error)
    return
  }
  done(result)
}

const stopOf = (call: EventEmitter): AbortSignal => {
  const controller = new AbortController()
  call.once('cancelled', () => controller.abort())
  return controller.signal
}

/**
 * What the controller streams. When it goes away this throws RunnerError `UNAVAILABLE` or just ends, since HTTP/2 may show a reset
 * as an end: an upload is whole only with its End frame.
 */
async function* fromController<T>(call: Readable): AsyncGenerator<T> {
  try {
    yield* readAll<T>(call)
  } catch (error) {
    throw new RunnerError('UNAVAILABLE', 'the controller closed the stream', { cause: error })
  }
}
