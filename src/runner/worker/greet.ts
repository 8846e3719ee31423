import type { HandshakeReply, HandshakeRequest, Lease, OperationState } from '../gen/runner/v1/runner.ts'
import { RunnerError } from '../runner.ts'
import { describeHost } from './describe-host.ts'
import type { WorkerOptions } from './options.ts'

const PROTO = 1
const MAX_SKEW_MS = 5 * 60_000

/** Answers a handshake. Throws RunnerError `INVALID_ARGUMENT` for another protocol, `PEER_IDENTITY`, `CLOCK_SKEW`. */
export const greet = (
  request: HandshakeRequest,
  { clock, instanceId, installationId, isolation }: WorkerOptions,
  lease: Lease | undefined,
  operations: OperationState[],
): HandshakeReply => {
  if (request.protoMin > PROTO || request.protoMax < PROTO)
    throw new RunnerError(
      'INVALID_ARGUMENT',
      `This runner speaks protocol ${PROTO}, the server ${request.protoMin} to ${request.protoMax}. Use the same version of both.`,
    )
  if (request.installationId !== installationId) throw new RunnerError('PEER_IDENTITY', 'This runner belongs to another installation.')
  const nowUnixMs = clock.now().getTime()
  if (Math.abs(nowUnixMs - request.nowUnixMs) > MAX_SKEW_MS)
    throw new RunnerError('CLOCK_SKEW', 'The clocks of server and runner differ by more than 5 minutes. Set up time synchronization.')
  return {
    proto: PROTO,
    instanceId,
    ...describeHost(),
    nowUnixMs,
    nonceEcho: request.nonce,
    sandbox: { level: isolation === undefined ? 0 : 1, uidSplit: isolation !== undefined },
    lease,
    operations,
  }
}
