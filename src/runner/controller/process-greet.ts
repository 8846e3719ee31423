import { randomUUID } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { HandshakeReply } from '../gen/runner/v1/runner.ts'
import { type Runner, RunnerError } from '../runner.ts'

const PROTO = 1

type Greeting = {
  installationId: string
  controllerId: string
  instanceId: string
  clock: Clock
}

/** The first call: proves that the peer answers now and is the instance meant. Throws RunnerError `PEER_IDENTITY` otherwise. */
export const greet = async (runner: Runner, { installationId, controllerId, instanceId, clock }: Greeting): Promise<HandshakeReply> => {
  const nonce = randomUUID()
  const reply = await runner.handshake({
    protoMin: PROTO,
    protoMax: PROTO,
    installationId,
    controllerId,
    nowUnixMs: clock.now().getTime(),
    nonce,
  })
  if (reply.nonceEcho !== nonce) throw new RunnerError('PEER_IDENTITY', 'the runner answered an older handshake')
  if (reply.instanceId !== instanceId)
    throw new RunnerError('PEER_IDENTITY', `the runner is instance ${reply.instanceId}, not ${instanceId}`)
  return reply
}
