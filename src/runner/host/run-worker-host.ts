import process from 'node:process'
import * as z from 'zod'
import { systemClock } from '../../platform/clock.ts'
import { errorMessage } from '../../platform/errors.ts'
import { makeLog } from '../../platform/log.ts'
import { serveRunner } from '../transport/grpc-server.ts'
import { makeWorker } from '../worker/worker.ts'
import { BOOTSTRAP_LIMIT_BYTES, bootstrapSchema, rehearsalSchema } from './bootstrap.ts'
import { interruptAndDrain } from './interrupt-and-drain.ts'
import { readLine } from './read-line.ts'
import { rehearse } from './rehearse.ts'

const STOP_BOUND_MS = 10 * 60_000

/**
 * The process of one runner. Starts without identity and port; one JSON line on stdin (see bootstrap.ts) makes it a runner, served on a loopback
 * port that it prints as one JSON line. A line to rehearse with may follow. When stdin closes it ends, unless it has a lease by then: from there on
 * it outlives its controller, and ends after Shutdown, when the worker gives up waiting for a controller, or after SIGTERM once the
 * state is delivered. Ends with exit code 2 when the first line is not as expected.
 */
export const runWorkerHost = async (): Promise<void> => {
  // Compiling a schema pays when it is used often.
  z.config({ jitless: true })
  process.umask(0o077)
  surviveController()
  const line = await readMessage()
  if (line === undefined) process.exit(0)
  const bootstrap = parseMessage(bootstrapSchema, line)
  if (!bootstrap) {
    process.stderr.write('terrane-runner: the message on stdin is not the one of this version of the server\n')
    process.exit(2)
  }
  const log = makeLog(bootstrap.logLevel).child({ instanceId: bootstrap.instanceId })
  const runner = makeWorker({
    workRoot: bootstrap.workRoot,
    instanceId: bootstrap.instanceId,
    installationId: bootstrap.installationId,
    isolation: bootstrap.isolation,
    setpriv: bootstrap.setpriv,
    log,
    clock: systemClock,
    orphanGraceMs: bootstrap.orphanGraceMs,
    onIdentity: (leaf) => server.setCertificate(leaf),
    onShutdown: () => void stop('shut down'),
    onOrphaned: () => void stop('no controller came back'),
  })
  const server = await serveRunner({
    runner,
    identity: {
      certificatePem: bootstrap.certificatePem,
      privateKeyPem: bootstrap.privateKeyPem,
      trustPem: bootstrap.trustPem,
      expectedControllerPrefix: bootstrap.controllerUriPrefix,
    },
    host: '127.0.0.1',
    port: 0,
    log,
  })
  const stop = async (reason: string): Promise<void> => {
    log.info({ reason }, 'worker ends')
    await server.close()
    process.exit(0)
  }
  process.once('SIGTERM', () => {
    log.info('interrupted')
    void interruptAndDrain(runner, STOP_BOUND_MS)
      .catch((error: unknown) => log.error({ err: error }, 'the interrupt failed'))
      .then(() => stop('interrupted'))
  })
  process.stdout.write(`${JSON.stringify({ port: server.port })}\n`)

  for (let next = await readMessage(); next !== undefined; next = await readMessage()) {
    const rehearsal = parseMessage(rehearsalSchema, next)?.rehearsal
    if (rehearsal) await rehearse(rehearsal).catch((error: unknown) => log.warn({ error: errorMessage(error) }, 'the rehearsal failed'))
  }
  if ((await runner.status({ lease: undefined })).lease === undefined) await stop('the controller is gone')
}

/** Undefined when nothing more can come. */
const readMessage = (): Promise<string | undefined> => readLine(process.stdin, BOOTSTRAP_LIMIT_BYTES).catch(() => '')

const surviveController = (): void => {
  process.on('SIGHUP', () => undefined)
  process.on('SIGPIPE', () => undefined)
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}

/** The error is not shown: it could quote the message, which holds a private key. */
const parseMessage = <T>(schema: z.ZodType<T>, line: string): T | undefined => {
  try {
    return schema.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
