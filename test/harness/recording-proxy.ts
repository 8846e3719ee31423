import { type IncomingMessage, type ServerResponse, request as forward } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../src/platform/clock.ts'
import { generateCa, loadCa } from '../../src/runner/pki/ca.ts'
import { issueServerCertificate } from '../../src/runner/pki/issue-server.ts'

/** A request that a client sent, and what it was answered. */
export type Exchange = {
  method: string
  /** Path and query as sent. */
  url: string
  status: number
  headers: IncomingMessage['headers']
  /** Of a JSON document; undefined for everything else. */
  body: unknown
}

/** The reverse proxy that ends TLS in front of a server, and remembers what passes through. */
export type RecordingProxy = {
  url: string
  host: string
  /** Certificate of the authority that clients have to trust. */
  caPem: string
  /** What was answered so far, in the order of the requests. */
  exchanges: Exchange[]
  to(serverUrl: string): void
  close(): void
}

export const startRecordingProxy = async (): Promise<RecordingProxy> => {
  const ca = await loadCa({ ...(await generateCa({ installationId: 'recording', clock: systemClock })), clock: systemClock })
  const leaf = await issueServerCertificate(ca, { dnsNames: ['localhost'], ips: [], lifetimeMs: 86_400_000 })
  const exchanges: Exchange[] = []
  let upstream = ''

  const server = createServer({ cert: leaf.certificatePem, key: leaf.privateKeyPem }, (incoming, outgoing) => {
    const exchange: Exchange = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      status: 0,
      headers: incoming.headers,
      body: undefined,
    }
    exchanges.push(exchange)
    pass(new URL(exchange.url, upstream), exchange, incoming, outgoing)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const host = `localhost:${(server.address() as AddressInfo).port}`
  return {
    url: `https://${host}`,
    host,
    caPem: ca.certificatePem,
    exchanges,
    to: (serverUrl) => {
      upstream = serverUrl
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const pass = (target: URL, exchange: Exchange, incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const parts: Buffer[] = []
  incoming.on('data', (part: Buffer) => parts.push(part))
  incoming.once('end', () => {
    const body = Buffer.concat(parts)
    exchange.body = parseJson(body)
    const call = forward(target, { method: incoming.method, headers: incoming.headers }, (answer) => {
      exchange.status = answer.statusCode ?? 0
      outgoing.writeHead(exchange.status, answer.headers)
      answer.pipe(outgoing)
    })
    // A server that was stopped on purpose.
    call.once('error', () => outgoing.destroy())
    call.end(body)
  })
}

const parseJson = (body: Buffer): unknown => {
  const text = body.toString('utf8')
  return text.startsWith('{') ? JSON.parse(text) : undefined
}
