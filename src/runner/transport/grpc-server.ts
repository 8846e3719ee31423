import { Server, ServerCredentials } from '@grpc/grpc-js'
import { type Clock, systemClock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { HealthService } from '../gen/grpc/health/v1/health.ts'
import { RunnerService } from '../gen/runner/v1/runner.ts'
import type { Runner } from '../runner.ts'
import { makeGrpcService } from './grpc-service.ts'
import { makeHealth } from './health.ts'
import { COMMON_OPTIONS } from './limits.ts'
import { makePeerCheck } from './peer-check.ts'
import { type ServerIdentity, type TlsListener, listenTls } from './tls-listener.ts'

export type ServeOptions = {
  runner: Runner
  identity: ServerIdentity
  host: string
  /** 0 for any. */
  port: number
  log: Log
  clock?: Clock
  handshakeTimeoutMs?: number
}

const CLOSE_GRACE_MS = 1_000

/**
 * Serves `runner` and grpc.health.v1 over TLS 1.3 to controllers under `identity.expectedControllerPrefix`. gRPC never sees a
 * connection that was not checked: grpc-js itself has no minimum version and no hook for the certificate's name.
 * `close` lets running calls end for a second.
 */
export const serveRunner = async (options: ServeOptions): Promise<TlsListener> => {
  const { runner, identity, log, clock = systemClock } = options
  const check = makePeerCheck({ expectedPrefix: identity.expectedControllerPrefix, clock, log })
  const server = new Server({ ...COMMON_OPTIONS, interceptors: [check] })
  const health = makeHealth()
  server.addService(RunnerService, makeGrpcService(runner, log))
  server.addService(HealthService, health.service)
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  const listener = await listenTls({
    identity,
    host: options.host,
    port: options.port,
    handshakeTimeoutMs: options.handshakeTimeoutMs ?? 5_000,
    clock,
    log,
    onConnection: (socket) => injector.injectConnection(socket),
  })
  return {
    port: listener.port,
    setCertificate: listener.setCertificate,
    close: async () => {
      health.stop()
      await Promise.race([new Promise<void>((resolve) => server.tryShutdown(() => resolve())), delay(CLOSE_GRACE_MS)])
      server.forceShutdown()
      await listener.close()
    },
  }
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
