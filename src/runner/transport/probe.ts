import tls from 'node:tls'
import { RunnerError } from '../runner.ts'
import { type ClientIdentity, checkPeerUri, clientContext } from './client-identity.ts'

export type ProbeTarget = { address: string; expectedUri: string; identity: ClientIdentity }

const PROBE_TIMEOUT_MS = 5_000

/** What a probe saw. `closed`: the peer hung up after the handshake without a word, as it does when it refuses our certificate. */
type Sighting = { kind: 'ready' } | { kind: 'closed' } | { kind: 'identity' | 'network'; reason: string }

/**
 * Says why a runner cannot be reached, which gRPC does not tell apart: RunnerError `PEER_IDENTITY` when one side does not accept
 * the other, whatever answers at the address; `UNAVAILABLE` when nothing answers or the peer is fine now.
 */
export const probe = async (target: ProbeTarget): Promise<RunnerError> => {
  let seen = await look(target)
  // A runner that dies in this moment looks the same once, but not twice.
  if (seen.kind === 'closed') seen = await look(target)
  if (seen.kind === 'identity') {
    return new RunnerError('PEER_IDENTITY', `the runner at ${target.address} is not the expected one: ${seen.reason}`)
  }
  if (seen.kind === 'closed') {
    return new RunnerError('PEER_IDENTITY', `the runner at ${target.address} does not accept the certificate of this controller`)
  }
  if (seen.kind === 'network') {
    return new RunnerError('UNAVAILABLE', `the runner at ${target.address} does not answer: ${seen.reason}`)
  }
  return new RunnerError('UNAVAILABLE', 'the connection to the runner broke')
}

const look = ({ address, expectedUri, identity }: ProbeTarget): Promise<Sighting> =>
  new Promise((resolve) => {
    const at = address.lastIndexOf(':')
    const socket = tls.connect({
      host: address.slice(0, at),
      port: Number(address.slice(at + 1)),
      // No address is allowed as server name; the name itself is not looked at.
      servername: 'runner',
      secureContext: clientContext(identity),
      ALPNProtocols: ['h2'],
      checkServerIdentity: checkPeerUri(() => expectedUri),
      timeout: PROBE_TIMEOUT_MS,
    })
    let secure = false
    const finish = (sighting: Sighting): void => {
      socket.destroy()
      resolve(sighting)
    }
    socket.once('secureConnect', () => (secure = true))
    // An h2 server that accepts us speaks first.
    socket.once('data', () => finish({ kind: 'ready' }))
    socket.once('timeout', () => finish({ kind: 'network', reason: `no answer for ${PROBE_TIMEOUT_MS} ms` }))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Node.js names no system call when the other side hangs up before the handshake is done.
      const isNetwork = error.syscall !== undefined || error.code === 'ECONNRESET'
      if (isNetwork && secure) finish({ kind: 'closed' })
      else finish({ kind: isNetwork ? 'network' : 'identity', reason: error.message })
    })
    socket.once('close', () => finish(secure ? { kind: 'closed' } : { kind: 'network', reason: 'it closed the connection' }))
  })
