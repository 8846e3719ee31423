import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import tls from 'node:tls'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { joinPem } from '../pki/pem.ts'
import { refusal } from './peer-check.ts'

/** Who a runner is and whom it obeys: PEM texts, one certificate per element of `trustPem`. */
export type ServerIdentity = { certificatePem: string; privateKeyPem: string; trustPem: string[]; expectedControllerPrefix: string }

export type TlsListenerOptions = {
  identity: ServerIdentity
  host: string
  port: number
  handshakeTimeoutMs: number
  clock: Clock
  log: Log
  /** Gets every connection whose peer has been checked. */
  onConnection(socket: tls.TLSSocket): void
}

export type TlsListener = {
  port: number
  /** Another certificate for the connections to come; those there are go on. */
  setCertificate(leaf: Pick<ServerIdentity, 'certificatePem' | 'privateKeyPem'>): void
  close: () => Promise<void>
}

/** Connections whose handshake has not ended; when one more comes, the oldest goes, so that idle ones cannot lock the controller out. */
const MAX_PENDING = 64
/** Connections of checked peers: one controller, with room for some that have died unnoticed. */
const MAX_ESTABLISHED = 16

/** TLS 1.3 with client certificates and h2 only. Refused connections are logged with the reason and destroyed. */
export const listenTls = async (options: TlsListenerOptions): Promise<TlsListener> => {
  const { identity, clock, log } = options
  const pending = new Map<string, Socket>()
  const established = new Set<tls.TLSSocket>()
  // Whole each time: a new context forgets what it is not told again, the minimum version too.
  const contextOf = (leaf: Pick<ServerIdentity, 'certificatePem' | 'privateKeyPem'>) =>
    ({ minVersion: 'TLSv1.3', cert: leaf.certificatePem, key: leaf.privateKeyPem, ca: joinPem(identity.trustPem) }) as const
  const server = tls.createServer({
    ...contextOf(identity),
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: ['h2'],
    handshakeTimeout: options.handshakeTimeoutMs,
  })
  const refuse = (socket: tls.TLSSocket, reason: string): void => {
    log.warn({ reason }, 'connection refused')
    socket.destroy()
  }
  const evictOldest = (): void => {
    const [oldest] = pending
    if (!oldest) return
    pending.delete(oldest[0])
    oldest[1].destroy()
  }
  let nextLeaf: Parameters<TlsListener['setCertificate']>[0] | undefined
  // Before the server itself hears of the connection. To load a key takes as long as a call; a run that waits has no use for that.
  server.prependListener('connection', () => {
    if (nextLeaf !== undefined) server.setSecureContext(contextOf(nextLeaf))
    nextLeaf = undefined
  })
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    pending.set(peer, socket)
    socket.once('close', () => pending.delete(peer))
    if (pending.size > MAX_PENDING) evictOldest()
  })
  // A time-out of the handshake is only reported here: without the destroy a silent client stays connected. A certificate that
  // fails the check of the chain closes the socket without an error of its own; the reason stays on the socket.
  server.on('tlsClientError', (error, socket) => refuse(socket, String(socket.authorizationError ?? error.message)))
  server.on('secureConnection', (socket) => {
    pending.delete(peerOf(socket))
    socket.on('error', (error) => log.debug({ reason: error.message }, 'connection broke'))
    const reason =
      socket.alpnProtocol === 'h2'
        ? refusal(socket.getPeerCertificate().raw, identity.expectedControllerPrefix, clock.now())
        : 'the client does not speak h2'
    if (reason) return refuse(socket, reason)
    if (established.size >= MAX_ESTABLISHED) return refuse(socket, 'too many connections')
    established.add(socket)
    socket.once('close', () => established.delete(socket))
    options.onConnection(socket)
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    port: portOf(server.address()),
    setCertificate: (leaf) => {
      nextLeaf = leaf
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of [...pending.values(), ...established]) socket.destroy()
      await closed
    },
  }
}

const peerOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`

const portOf = (address: AddressInfo | string | null): number => {
  if (address === null || typeof address === 'string') throw new TypeError('the listener has no port')
  return address.port
}
