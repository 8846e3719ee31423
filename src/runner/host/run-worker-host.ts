import process from 'node:process'
import type { z } from 'zod'
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
/** A worker that was bound and then forgotten, because its controller died in between, waits this long for a lease. */
const UNLEASED_MS = 60_000

/**
 * The process of one runner. Starts without identity and port; one JSON line on stdin (see bootstrap.ts) makes it the runner of
 * one phase, served on a loopback port that it prints as one JSON line. From then on it outlives its controller: it ends after
 * Shutdown, when the worker gives up waiting for a controller, or after SIGTERM once the state is delivered.
 * A message to rehearse with may come before. Ends at once when stdin closes before the message; with exit code 2 when the message is not as expected.
 */
export const runWorkerHost = async (): Promise<void> => {
  process.umask(0o077)
  surviveController()
  const first = await readMessage()
  const rehearsal = parseMessage(rehearsalSchema, first)?.rehearsal
  if (rehearsal)
    await rehearse(rehearsal).catch((error: unknown) => makeLog('info').warn({ error: errorMessage(error) }, 'the rehearsal failed'))
  const line = rehearsal ? await readMessage() : first
  process.stdin.destroy()
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
    log,
    clock: systemClock,
    orphanGraceMs: bootstrap.orphanGraceMs,
    onRebind: (leaf) => server.setCertificate(leaf),
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
  setTimeout(() => {
    void runner.status({ lease: undefined }).then(({ lease }) => (lease ? undefined : stop('nobody took the lease')))
  }, UNLEASED_MS)
  process.once('SIGTERM', () => {
    log.info('interrupted')
    void interruptAndDrain(runner, STOP_BOUND_MS)
      .catch((error: unknown) => log.error({ err: error }, 'the interrupt failed'))
      .then(() => stop('interrupted'))
  })
  process.stdout.write(`${JSON.stringify({ port: server.port })}\n`)
}

const readMessage = async (): Promise<string> => {
  const line = await readLine(process.stdin, BOOTSTRAP_LIMIT_BYTES).catch(() => '')
  return line ?? process.exit(0)
}

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
