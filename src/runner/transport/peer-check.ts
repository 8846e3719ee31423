import { X509Certificate } from 'node:crypto'
import { ServerInterceptingCall, ServerListenerBuilder } from '@grpc/grpc-js'
import type { ServerInterceptor } from '@grpc/grpc-js'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { peerUri } from '../pki/peer-uri.ts'
import { RunnerError } from '../runner.ts'
import { toGrpcStatus } from './errors.ts'

/** Why the bearer of `raw` (DER) may not give orders, or undefined. The chain and the usage are TLS's to check. */
export const refusal = (raw: Buffer | undefined, expectedPrefix: string, now: Date): string | undefined => {
  if (!raw) return 'no client certificate'
  const certificate = read(raw)
  if (!peerUri(certificate)?.startsWith(expectedPrefix)) return 'the client certificate does not name a controller of this installation'
  if (now < new Date(certificate.validFrom)) return 'the client certificate is not valid yet'
  if (now > new Date(certificate.validTo)) return 'the client certificate has expired'
  return undefined
}

/** One controller makes nearly all calls of a runner. */
let last: X509Certificate | undefined

const read = (raw: Buffer): X509Certificate => {
  if (last === undefined || !last.raw.equals(raw)) last = new X509Certificate(raw)
  return last
}

/** Checks the peer on every call: TLS looks at a certificate only when the connection begins, and connections outlive certificates. */
export const makePeerCheck =
  ({ expectedPrefix, clock, log }: { expectedPrefix: string; clock: Clock; log: Log }): ServerInterceptor =>
  (method, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next(
          new ServerListenerBuilder()
            .withOnReceiveMetadata((metadata, accept) => {
              const reason = refusal(call.getAuthContext().sslPeerCertificate?.raw, expectedPrefix, clock.now())
              if (!reason) return accept(metadata)
              log.warn({ method: method.path, reason }, 'call refused')
              call.sendStatus(toGrpcStatus(new RunnerError('PEER_IDENTITY', reason), log))
            })
            .build(),
        ),
    })
