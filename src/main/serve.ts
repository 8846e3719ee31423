import { getRequestListener } from '@hono/node-server'
import { readFile } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '../platform/errors.ts'
import { makeLog, type Log } from '../platform/log.ts'
import { writeClientFiles } from './client-files.ts'
import { compose } from './compose.ts'
import { isIsolated } from './compose-runners.ts'
import type { ServerConfig } from './config.ts'
import { ownCertificate } from './own-certificate.ts'
import { writeSetupUrl } from './write-setup-url.ts'

const DRAIN_MS = 25_000
/** Requests under way may take so long; live streams of pages would take for ever. */
const REQUESTS_MS = 3000

/** Runs the server until SIGTERM or SIGINT. Prints `ready URL` on stdout once it answers; everything else goes to stderr. */
export const runServer = async (config: ServerConfig): Promise<void> => {
  const log = makeLog(config.logLevel)
  const terrane = await compose(config, log)
  const own = config.tls.mode === 'self' ? await ownCertificate(await terrane.serverAuthority(), config) : undefined
  const answer = getRequestListener(terrane.app.fetch)
  const listener: RequestListener = (request, response) => void answer(request, response)
  const server = await listen(config, own, listener)
  const admin = await terrane.accounts.bootstrapAdmin()
  await writeClientFiles({
    dataDir: config.dataDir,
    publicUrl: config.publicUrl,
    token: admin?.secret,
    ...(own === undefined ? {} : { caPem: own.caPem }),
  })
  const setupUrlFile = await writeSetupUrl({ accounts: terrane.accounts, dataDir: config.dataDir, publicUrl: config.publicUrl })
  await terrane.start()
  if (!isIsolated()) log.warn('not running as root: engines run as this user, so that runs can read the data of the server')
  if (admin !== undefined) log.info({ file: `${config.dataDir}/admin.token` }, 'made the first administrator; its token is in the file')
  if (setupUrlFile !== undefined) log.info({ file: setupUrlFile }, 'to sign in with a browser, open the link in the file within an hour')
  process.stdout.write(`ready ${config.publicUrl}\n`)
  await untilSignal()
  await shutDown(server, terrane.stop, log)
}

type Certificate = { certificatePem: string; privateKeyPem: string }

const listen = async (config: ServerConfig, own: Certificate | undefined, listener: RequestListener): Promise<Server> => {
  const server = await makeServer(config, own, listener)
  const { host, port } = config.listen
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return server
}

const makeServer = async (config: ServerConfig, own: Certificate | undefined, listener: RequestListener): Promise<Server> => {
  // The CLI uploads large archives over slow lines: no limit on a whole request, one on its headers.
  const options = { requestTimeout: 0, headersTimeout: 60_000, keepAliveTimeout: 65_000 }
  if (own !== undefined) return createHttpsServer({ ...options, cert: own.certificatePem, key: own.privateKeyPem }, listener)
  if (config.tls.mode !== 'files') return createHttpServer(options, listener)
  return createHttpsServer({ ...options, cert: await readFile(config.tls.certFile), key: await readFile(config.tls.keyFile) }, listener)
}

const untilSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })

/** Stops accepting, lets requests end, hands running phases over, closes the database. */
const shutDown = async (server: Server, stop: () => Promise<void>, log: Log): Promise<void> => {
  const giveUp = setTimeout(() => {
    log.error('shutting down took too long')
    process.exit(1)
  }, DRAIN_MS)
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  await Promise.race([closed, delay(REQUESTS_MS, undefined, { ref: false })])
  await stop().catch((error: unknown) => log.error({ error: errorMessage(error) }, 'shutting down failed'))
  server.closeAllConnections()
  await closed
  clearTimeout(giveUp)
}
