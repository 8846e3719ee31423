import { status } from '@grpc/grpc-js'
import type { ServerWritableStream } from '@grpc/grpc-js'
import { HealthCheckResponse_ServingStatus as Serving } from '../gen/grpc/health/v1/health.ts'
import type { HealthCheckRequest, HealthCheckResponse, HealthServer } from '../gen/grpc/health/v1/health.ts'

const SERVICES = new Set(['', 'runner.v1.Runner'])

/** grpc.health.v1: serving from the start until `stop`, which tells those who watch. */
export const makeHealth = (): { service: HealthServer; stop(): void } => {
  const watchers = new Set<ServerWritableStream<HealthCheckRequest, HealthCheckResponse>>()
  let serving: Serving = Serving.SERVING
  return {
    service: {
      check: (call, callback) =>
        SERVICES.has(call.request.service)
          ? callback(null, { status: serving })
          : callback({ code: status.NOT_FOUND, details: 'no such service' }),
      watch: (call) => {
        call.write({ status: SERVICES.has(call.request.service) ? serving : Serving.SERVICE_UNKNOWN })
        watchers.add(call)
        call.once('close', () => watchers.delete(call))
      },
    },
    stop: () => {
      serving = Serving.NOT_SERVING
      for (const watcher of watchers) {
        watcher.write({ status: serving })
        watcher.end()
      }
    },
  }
}
